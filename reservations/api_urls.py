"""Addresses below /api/v1/ for reservations."""

from django.urls import path

from reservations import api, api_doors, api_standby

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
    path("events/<int:event_id>/standby/", api_standby.StandbyView.as_view(), name="standby"),
    path("door/check-ins/", api_doors.CheckInsView.as_view(), name="check_ins"),
    path("door/check-ins/<uuid:key>/undo/", api_doors.UndoView.as_view(), name="undo_check_in"),
    path("door/events/<int:event_id>/counts/", api_doors.CountsView.as_view(), name="door_counts"),
]
