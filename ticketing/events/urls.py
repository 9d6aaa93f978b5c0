"""URLs of the home page and of the events' public pages."""

from django.urls import path

from ticketing.events import views

app_name = "ticketing"
urlpatterns = [
    path("", views.home, name="home"),
    path("events/<int:pk>/", views.event, name="event"),
    path("events/<int:pk>/poster.svg", views.poster, name="poster"),
    path("media/<path:path>", views.media, name="media"),
]
