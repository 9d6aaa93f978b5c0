"""Addresses of the queue below /api/v1/."""

from django.urls import path

from waiting_queue.api import calls, views

app_name = "queue_api"
urlpatterns = [
    path(calls.STANDING.path, views.QueueView.as_view(), name="queue"),
    path(calls.TOKEN.path, views.TokenView.as_view(), name="token"),
    path(calls.CLAIM.path, views.ClaimView.as_view(), name="claim"),
    path(f"{calls.QUEUE}appeal/", views.AppealView.as_view(), name="appeal"),
    path(f"{calls.QUEUE}lanes/", views.LanesView.as_view(), name="lanes"),
    path(f"{calls.QUEUE}lanes/join/", views.JoinLaneView.as_view(), name="join_lane"),
    path(f"{calls.QUEUE}party/", views.PartyView.as_view(), name="party"),
    path(f"{calls.QUEUE}party/join/", views.JoinPartyView.as_view(), name="join_party"),
    path(calls.OUTLOOK.path, views.OutlookView.as_view(), name="outlook"),
]
