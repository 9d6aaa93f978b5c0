"""URLs of the seat map, basket, standby list, tickets and door."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from reservations import views
from reservations.views import doors, standby, tickets
from reservations.views.holds import BestForm, PlacesForm, SeatsForm


class SectionCode(StringConverter):
    """A code PostgreSQL can look up: no NUL, no longer than the column."""

    regex = r"[^/\x00]{1,16}"


register_converter(SectionCode, "section_code")

app_name = "reservations"
urlpatterns = [
    path("events/<int:pk>/seats/", views.seats, name="seats"),
    path("events/<int:pk>/go-on-here/", views.take_over, name="take_over"),
    path("events/<int:pk>/seats/<section_code:code>/", views.section, name="section"),
    path("events/<int:pk>/basket/", views.basket, name="basket"),
    path("events/<int:pk>/basket/seats/", views.hold, {"form_class": SeatsForm}, name="hold_seats"),
    path("events/<int:pk>/basket/best/", views.hold, {"form_class": BestForm}, name="hold_best"),
    path(
        "events/<int:pk>/basket/places/", views.hold, {"form_class": PlacesForm}, name="hold_places"
    ),
    path("events/<int:pk>/basket/leave/", views.leave, name="leave"),
    path("events/<int:pk>/basket/<slug:code>/give-back/", views.give_back, name="give_back"),
    path("events/<int:pk>/standby/", standby.standby, name="standby"),
    path("events/<int:pk>/standby/join/", standby.join_standby, name="join_standby"),
    path("events/<int:pk>/standby/leave/", standby.leave_standby, name="leave_standby"),
    path("tickets/", tickets.tickets, name="tickets"),
    path("tickets/worker.js", doors.worker, name="tickets_worker"),
    path("tickets/keys.json", tickets.keys, name="ticket_keys"),
    path("tickets/offers/<slug:code>/accept/", tickets.accept, name="accept_offer"),
    path("tickets/offers/<slug:code>/decline/", tickets.decline, name="decline_offer"),
    path("tickets/orders/<slug:code>/", tickets.order_tickets, name="order_tickets"),
    path("tickets/orders/<slug:code>.pdf", tickets.order_pdf, name="order_pdf"),
    path("tickets/<slug:code>/", tickets.ticket, name="ticket"),
    path("tickets/<slug:code>/qr.svg", tickets.qr, name="ticket_qr"),
    path("tickets/<slug:code>/ticket.pdf", tickets.pdf, name="ticket_pdf"),
    path("tickets/<slug:code>/ticket.ics", tickets.calendar, name="ticket_calendar"),
    path("tickets/<slug:code>/rename/", tickets.rename, name="rename_ticket"),
    path("tickets/<slug:code>/reissue/", tickets.reissue, name="reissue_ticket"),
    path("tickets/<slug:code>/offer/", tickets.offer, name="offer_ticket"),
    path("tickets/<slug:code>/withdraw/", tickets.withdraw, name="withdraw_offer"),
    path("door/", doors.doors, name="doors"),
    path("door/worker.js", doors.worker, name="door_worker"),
    path("door/<int:event_id>/", doors.door, name="door"),
    path("door/<int:event_id>/check-in/", doors.check_in, name="check_in"),
    path("door/<int:event_id>/call/", doors.call, name="call_numbers"),
    path("door/<int:event_id>/undo/", doors.undo, name="undo_check_in"),
]
