"""URLs of the public pages: events, posters, uploaded media."""

from django.urls import path

from ticketing.events.views import pages

app_name = "ticketing"
urlpatterns = [
    path("", pages.home, name="home"),
    path("events/<int:pk>/", pages.event, name="event"),
    path("events/<int:pk>/poster.svg", pages.poster, name="poster"),
    path("media/<path:path>", pages.media, name="media"),
]
