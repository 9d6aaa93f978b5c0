"""Addresses below /events/…/seats/, by the names that they have among an event's pages."""

from django.urls import path

from reservations import views

urlpatterns = [
    path("", views.seats, name="seats"),
    path("<section_code:code>/", views.section, name="section"),
]
