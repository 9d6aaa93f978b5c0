"""Pages to read stored mails. They need no log-in, so they exist in development only."""

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
from ticketing.development.mailbox.messages import stored_mail, stored_mails

MAILS_PER_PAGE = 30
# A mail has inline styles and may use our Korean font. It may not run scripts, send forms, frame
# pages or load anything else. Its links open in a new window.
MAIL_POLICY = {
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
with_mail_policy: Any = csp_replace(MAIL_POLICY)


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
    page = Paginator(folder.names(), MAILS_PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "mails": stored_mails(page), "folder": settings.MAIL_FOLDER}
    return render(request, "mailbox/mails.html", context)


@only_in_development
@never_cache
@require_safe
def mail(request: HttpRequest, name: str) -> HttpResponse:
    return render(request, "mailbox/mail.html", {"mail": stored_mail(name)})


@only_in_development
@never_cache
@require_safe
@xframe_options_sameorigin
@with_mail_policy
def html(request: HttpRequest, name: str) -> HttpResponse:
    """The HTML part, shown in a frame."""
    font = static("vendor/pretendard/pretendard.css")
    head = f'<head><base target="_blank"><link rel="stylesheet" href="{font}">'
    return HttpResponse(stored_mail(name).html.replace("<head>", head, 1))


@only_in_development
@never_cache
@require_safe
@with_mail_policy
def attachment(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Always a download, never shown as a page of this site."""
    files = stored_mail(name).attachments
    if not 1 <= number <= len(files):
        raise NotFound()
    file = files[number - 1]
    response = HttpResponse(file.content, content_type=file.kind)
    response["Content-Disposition"] = content_disposition_header(True, file.name) or "attachment"
    return response
