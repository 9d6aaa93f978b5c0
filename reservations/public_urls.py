"""Addresses of the basket: what is in it, and the forms that fill and empty it."""

from django.urls import path

from reservations import views

app_name = "reservations"
urlpatterns = [
    path("events/<int:pk>/basket/", views.basket, name="basket"),
    path("events/<int:pk>/basket/seats/", views.hold_seats, name="hold_seats"),
    path("events/<int:pk>/basket/best/", views.hold_best, name="hold_best"),
    path("events/<int:pk>/basket/places/", views.hold_places, name="hold_places"),
    path("events/<int:pk>/basket/leave/", views.leave, name="leave"),
    path("events/<int:pk>/basket/<slug:code>/give-back/", views.give_back, name="give_back"),
]
