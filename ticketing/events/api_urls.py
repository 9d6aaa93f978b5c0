"""Addresses below /api/v1/ for events and seats."""

from django.urls import path

from ticketing.events import api

app_name = "api"
urlpatterns = [
    path("", api.IndexView.as_view(), name="index"),
    path("events/", api.EventsView.as_view(), name="events"),
    path("events/<int:event_id>/", api.EventView.as_view(), name="event"),
    path("events/<int:event_id>/seats/", api.SeatsView.as_view(), name="seats"),
    path("schema/", api.SchemaView.as_view(), name="schema"),
    path("docs/", api.DocsView.as_view(), name="docs"),
]
