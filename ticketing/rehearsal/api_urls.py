"""Addresses below /api/v1/ for rehearsals."""

from django.urls import path

from ticketing.rehearsal import api

app_name = "rehearsal_api"
urlpatterns = [
    path("rehearsals/", api.RehearsalsView.as_view(), name="rehearsals"),
    path("rehearsals/<slug:code>/", api.RehearsalView.as_view(), name="rehearsal"),
    path("rehearsals/<slug:code>/people/", api.PeopleView.as_view(), name="people"),
    path("rehearsals/<slug:code>/moves/", api.MovesView.as_view(), name="moves"),
    path("rehearsals/<slug:code>/knobs/", api.KnobsView.as_view(), name="knobs"),
    path("rehearsals/<slug:code>/weather/", api.WeatherView.as_view(), name="weather"),
    path("rehearsals/<slug:code>/pulse/", api.PulseView.as_view(), name="pulse"),
    path("rehearsals/<slug:code>/journal/", api.JournalView.as_view(), name="journal"),
    path("rehearsals/<slug:code>/facts/", api.FactsView.as_view(), name="facts"),
    path("rehearsals/<slug:code>/report/", api.ReportView.as_view(), name="report"),
]
