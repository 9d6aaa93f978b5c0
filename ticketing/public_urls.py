"""Addresses of the public pages."""

from django.urls import path, register_converter
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
    path("events/<int:pk>/seats/", views.seats, name="seats"),
    path("events/<int:pk>/seats/<section_code:code>/", views.section, name="section"),
    path("events/<int:pk>/poster.svg", views.poster, name="poster"),
    path("media/<path:path>", views.media, name="media"),
]
