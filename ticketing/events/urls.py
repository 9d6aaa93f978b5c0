"""URLs of the public pages: events, posters, uploaded media."""

from django.urls import path

from ticketing.events.views import pages, search_engines

app_name = "ticketing"
urlpatterns = [
    path("", pages.home, name="home"),
    path("events/<int:pk>/", pages.event, name="event"),
    path("events/<int:pk>/poster.svg", pages.poster, name="poster"),
    path("sitemap.xml", search_engines.sitemap_xml, name="sitemap"),
    path("robots.txt", search_engines.robots_txt, name="robots"),
    path("media/<path:path>", pages.media, name="media"),
]
