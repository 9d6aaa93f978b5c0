"""Addresses below /api/v1/ for reservations."""

from django.urls import path

from reservations import api

app_name = "reservations_api"
urlpatterns = [
    path(
        "events/<int:event_id>/reservations/", api.ReservationsView.as_view(), name="reservations"
    ),
    path(
        "events/<int:event_id>/reservations/<slug:code>/",
        api.ReservationView.as_view(),
        name="reservation",
    ),
    path(
        "events/<int:event_id>/hold-requests/<slug:code>/",
        api.HoldRequestView.as_view(),
        name="hold_request",
    ),
]
