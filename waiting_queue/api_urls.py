"""Addresses of the queue below /api/v1/."""

from django.urls import path

from waiting_queue import api

app_name = "queue_api"
urlpatterns = [
    path("events/<int:event_id>/queue/", api.QueueView.as_view(), name="queue"),
    path("events/<int:event_id>/queue/claim/", api.ClaimView.as_view(), name="claim"),
    path("events/<int:event_id>/queue/appeal/", api.AppealView.as_view(), name="appeal"),
    path("events/<int:event_id>/queue/outlook/", api.OutlookView.as_view(), name="outlook"),
]
