"""Addresses of the queue below /api/v1/."""

from django.urls import path

from waiting_queue.api import calls, views

app_name = "queue_api"
urlpatterns = [
    path(calls.STANDING.path, views.QueueView.as_view(), name="queue"),
    path(calls.CLAIM.path, views.ClaimView.as_view(), name="claim"),
    path(f"{calls.QUEUE}appeal/", views.AppealView.as_view(), name="appeal"),
    path(calls.OUTLOOK.path, views.OutlookView.as_view(), name="outlook"),
]
