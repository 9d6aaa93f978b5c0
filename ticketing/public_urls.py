"""Addresses of the public pages."""

from django.urls import include, path, register_converter
from django.urls.converters import StringConverter

from ticketing import views


class SectionCode(StringConverter):
    """What PostgreSQL can look up: no NUL, not longer than the column."""

    regex = r"[^/\x00]{1,16}"


register_converter(SectionCode, "section_code")

app_name = "ticketing"
urlpatterns = [
    path("", views.home, name="home"),
    path("events/<int:pk>/", views.event, name="event"),
    # Choosing seats is the business of reservations; the addresses are the event's.
    path("events/<int:pk>/seats/", include("reservations.seat_urls")),
    path("events/<int:pk>/poster.svg", views.poster, name="poster"),
    path("media/<path:path>", views.media, name="media"),
]
