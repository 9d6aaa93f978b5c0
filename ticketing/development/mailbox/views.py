"""Reading the mails of the default run. Everybody may, so it is only there where nobody sells."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.constants import NONE, SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from ticketing.core.errors import NotFound
from ticketing.development.mailbox import folder
from ticketing.development.mailbox.letters import letter, letters

LETTERS_A_PAGE = 30
# A mail brings its own style, and may use our typeface where the machine has no Korean one. It
# runs, sends and frames nothing, and loads nothing else. Its links open in a window of their own.
OF_A_MAIL = {
    "default-src": [NONE],
    "style-src": [SELF, UNSAFE_INLINE],
    "font-src": [SELF],
    "img-src": ["data:"],
    "base-uri": [NONE],
    "form-action": [NONE],
    "frame-ancestors": [SELF],
    "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox"],
}
View = Callable[..., HttpResponseBase]
as_a_mail: Any = csp_replace(OF_A_MAIL)


def only_in_development(view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.DEVELOPMENT:
            raise NotFound()
        return view(request, *args, **kwargs)

    return guarded


@only_in_development
@never_cache
@require_safe
def mails(request: HttpRequest) -> HttpResponse:
    page = Paginator(folder.names(), LETTERS_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "letters": letters(page), "folder": settings.MAIL_FOLDER}
    return render(request, "mailbox/mails.html", context)


@only_in_development
@never_cache
@require_safe
def mail(request: HttpRequest, name: str) -> HttpResponse:
    return render(request, "mailbox/mail.html", {"letter": letter(name)})


@only_in_development
@never_cache
@require_safe
@xframe_options_sameorigin
@as_a_mail
def html(request: HttpRequest, name: str) -> HttpResponse:
    """The mail's own page, for the frame around it."""
    typeface = static("vendor/pretendard/pretendard.css")
    head = f'<head><base target="_blank"><link rel="stylesheet" href="{typeface}">'
    return HttpResponse(letter(name).html.replace("<head>", head, 1))


@only_in_development
@never_cache
@require_safe
@as_a_mail
def attachment(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Always a download: what came in a mail is not shown as a page of ours."""
    files = letter(name).files
    if not 1 <= number <= len(files):
        raise NotFound()
    file = files[number - 1]
    response = HttpResponse(file.content, content_type=file.kind)
    response["Content-Disposition"] = content_disposition_header(True, file.name) or "attachment"
    return response
