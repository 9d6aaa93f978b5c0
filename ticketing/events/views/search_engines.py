"""What search engines ask for: which pages there are, and which are nobody's business."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ticketing.core import clock
from ticketing.events import selectors
from ticketing.events.models import Event

HOUR = 3600
PRIVATE = (
    *("/admin/", "/api/", "/accounts/", "/orders/", "/payments/", "/tickets/"),
    *("/door/", "/dev/", "/sandbox/"),
)


class SitePages(Sitemap):
    """Addresses with the site's own name, whatever name the request used."""

    def get_domain(self, site: object = None) -> str:
        return urlsplit(settings.SITE_URL).netloc

    def get_protocol(self, protocol: str | None = None) -> str:
        return urlsplit(settings.SITE_URL).scheme


class HomePage(SitePages):
    changefreq = "hourly"

    def items(self) -> list[str]:
        return ["ticketing:home"]

    def location(self, item: str) -> str:
        return reverse(item)


class EventPages(SitePages):
    limit = 5_000
    changefreq = "daily"

    def items(self) -> QuerySet[Event]:
        return selectors.upcoming_events(search="", now=clock.now())


@require_safe
@cache_control(public=True, max_age=HOUR)
def sitemap_xml(request: HttpRequest) -> HttpResponse:
    return sitemap(request, sitemaps={"home": HomePage(), "events": EventPages()})


@require_safe
@cache_control(public=True, max_age=HOUR)
def robots_txt(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in PRIVATE)]
    lines.append(f"Sitemap: {settings.SITE_URL}{reverse('ticketing:sitemap')}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
