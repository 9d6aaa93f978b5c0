"""Redirects after a form."""

from django.http import HttpResponseRedirect


class SeeOther(HttpResponseRedirect):
    """303 See Other: reloading the target page does not send the form again."""

    status_code = 303
