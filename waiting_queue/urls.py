"""Addresses of the queue's public pages."""

from django.urls import path

from waiting_queue import views

app_name = "queue"
urlpatterns = [
    path("events/<int:pk>/queue/", views.line, name="line"),
    path("events/<int:pk>/queue/colours.css", views.colours, name="colours"),
    path("events/<int:pk>/queue/claim/", views.claim, name="claim"),
    path("events/<int:pk>/queue/leave/", views.leave, name="leave"),
    path("events/<int:pk>/queue/appeal/", views.appeal, name="appeal"),
    path("events/<int:pk>/queue/party/", views.party, name="party"),
    path("events/<int:pk>/queue/party/<slug:code>/", views.join_party, name="join_party"),
    path("events/<int:pk>/draw/", views.draw, name="draw"),
    path("events/<int:pk>/draw.json", views.draw_file, name="draw_file"),
]
