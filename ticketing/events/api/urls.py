"""Addresses below /api/v1/ for events and seats."""

from django.urls import path

from ticketing.events.api import calls, views

app_name = "api"
urlpatterns = [
    path("", views.IndexView.as_view(), name="index"),
    path("events/", views.EventsView.as_view(), name="events"),
    path("events/<int:event_id>/", views.EventView.as_view(), name="event"),
    path(calls.SEATS.path, views.SeatsView.as_view(), name="seats"),
    path("schema/", views.SchemaView.as_view(), name="schema"),
    path("docs/", views.DocsView.as_view(), name="docs"),
]
