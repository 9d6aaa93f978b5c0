"""Where a form leads."""

from django.http import HttpResponseRedirect


class SeeOther(HttpResponseRedirect):
    """After a form: fetch that page; loading it again repeats nothing."""

    status_code = 303
