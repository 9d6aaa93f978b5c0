"""The site's addresses, and one view that does nothing behind the same middleware."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from ticketing.urls import handler400, handler403, handler404, handler500
from ticketing.urls import urlpatterns as of_the_site

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"{}", content_type="application/json")


urlpatterns = [path("bench/nothing/", nothing), *of_the_site]
