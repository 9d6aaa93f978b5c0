"""Addresses below /api/v1/ for reservations."""

from django.urls import path

from reservations.api import calls, doors, standby, views

app_name = "reservations_api"
urlpatterns = [
    path(calls.HOLD.path, views.ReservationsView.as_view(), name="reservations"),
    path(calls.RESERVE.path, views.ReserveView.as_view(), name="reserve"),
    path(calls.TAKE_OVER.path, views.TakeOverView.as_view(), name="take_over"),
    path(
        "events/<int:event_id>/reservations/<slug:code>/",
        views.ReservationView.as_view(),
        name="reservation",
    ),
    path(
        "events/<int:event_id>/hold-requests/<slug:code>/",
        views.HoldRequestView.as_view(),
        name="hold_request",
    ),
    path("events/<int:event_id>/standby/", standby.StandbyView.as_view(), name="standby"),
    path("door/check-ins/", doors.CheckInsView.as_view(), name="check_ins"),
    path("door/check-ins/<uuid:key>/undo/", doors.UndoView.as_view(), name="undo_check_in"),
    path("door/events/<int:event_id>/counts/", doors.CountsView.as_view(), name="door_counts"),
]
