"""Legal documents: the version that is valid, and every one that was."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ticketing.accounts.models import LegalDocument
from ticketing.accounts.selectors import current_documents
from ticketing.core import clock
from ticketing.core.errors import NotFound


@require_safe
@cache_control(private=True, no_cache=True)
def document(request: HttpRequest, kind: str, version: int | None = None) -> HttpResponse:
    now = clock.now()
    published = LegalDocument.objects.filter(kind=kind, published_at__lte=now)
    current = current_documents([kind], now=now).first()
    shown = current if version is None else published.filter(version=version).first()
    if shown is None:
        raise NotFound()
    context = {
        "document": shown,
        "is_current": shown == current,
        "versions": published.order_by("-version")[:50],
        "site_url": settings.SITE_URL,
    }
    return render(request, "privacy/document.html", context)
