"""Mails about money and seats."""

from collections.abc import Callable

from django.conf import settings
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from payments.models import Payment
from payments.outbox.mails.message import (
    OrderMessage,
    event_facts,
    order_fact,
    refund_facts,
    seats_fact,
)
from reservations.models import Reservation
from reservations.selectors import cancelled_seats, seat_details_label
from ticketing.core.mails import Mail, link
from ticketing.core.money import money
from ticketing.events.models import Event


def _confirmed(message: OrderMessage) -> Mail:
    event = message.event
    doors = _("Doors open"), message.time(event.doors_at)
    paid = _("Paid"), message.money("amount")
    links = [
        (_("To your order"), message.order_url),
        (_("To your tickets"), link("reservations:tickets")),
    ]
    if not event.mails_tickets:
        links.append((_("Download PDF"), link("reservations:order_pdf", message.reservation.code)))
    return Mail(
        "confirmed",
        _("Your seats for “%(event)s”") % {"event": event},
        {"event": event},
        facts=[*event_facts(message), doors, seats_fact(message), paid, order_fact(message)],
        links=links,
        files=message.files(address=message.order_url, now=message.payment.created_at),
    )


def _refunded(message: OrderMessage) -> Mail | None:
    """None if the order was cancelled too: its own mail names the refund."""
    event, body = message.event, message.body
    if body.get("is_cancelled"):
        return None
    is_auto_refund = bool(body.get("is_owed"))
    is_confirmed = message.reservation.state == Reservation.State.CONFIRMED
    context = {
        "event": event,
        "amount": message.money("refunded"),
        "is_auto_refund": is_auto_refund,
        "keeps_seats": is_confirmed and not is_auto_refund and message.payment.left > 0,
    }
    return Mail(
        "refunded",
        _("Your refund for “%(event)s”") % {"event": event},
        context,
        facts=[*refund_facts(message), order_fact(message)],
        links=[(_("To your order"), message.order_url)],
    )


def _cancelled(message: OrderMessage) -> Mail | None:
    """Cancelled by the fan, refunded as a whole, or never paid."""
    event = message.event
    if "refunded" not in message.body:
        return _released(message)
    context = {
        "event": event,
        "amount": message.money("refunded"),
        "is_event_cancelled": event.state == Event.State.CANCELLED,
    }
    return Mail(
        "cancelled",
        _("Cancelled: your seats for “%(event)s”") % {"event": event},
        context,
        facts=[
            *event_facts(message),
            seats_fact(message),
            *refund_facts(message),
            order_fact(message),
        ],
        links=[(_("To your order"), message.order_url)],
    )


def _seats_cancelled(message: OrderMessage) -> Mail:
    """Some seats were cancelled; the tickets of the others come again."""
    event, numbers = message.event, message.body["seats"]
    gone = [it for it in cancelled_seats(message.reservation) if it["id"] in numbers]
    labels = "\n  ".join(f"{seat_details_label(it)} · {it['grade_name']}" for it in gone)
    return Mail(
        "seats_cancelled",
        _("Cancelled: some of your seats for “%(event)s”") % {"event": event},
        {"event": event, "amount": message.money("refunded")},
        facts=[
            *event_facts(message),
            (_("Cancelled seats"), labels),
            (_("Your seats"), message.seats()),
            *refund_facts(message),
            order_fact(message),
        ],
        links=[(_("To your order"), message.order_url)],
        files=message.files(address=message.order_url, now=message.payment.created_at),
    )


def _released(message: OrderMessage) -> Mail | None:
    """None if it was charged after all: the mail about the refund says so."""
    event = message.event
    if message.payment.state not in UNPAID:
        return None
    return Mail(
        "seats_released",
        _("Your seats for “%(event)s” went back on sale") % {"event": event},
        {"event": event},
        facts=[*event_facts(message), seats_fact(message), order_fact(message)],
        links=[(_("To the event"), link("ticketing:event", event.pk))],
    )


def _failed(message: OrderMessage) -> Mail | None:
    """None if the fan has paid meanwhile, no longer holds the seats, or closed the window."""
    event, payment = message.event, message.payment
    if payment.state == Payment.State.REFUNDING:
        return _auto_refund(message)
    is_held = message.reservation.state == Reservation.State.HELD
    if not is_held or payment.state not in UNPAID or payment.failure_code in ABORTED:
        return None
    return Mail(
        "payment_failed",
        _("Your payment for “%(event)s” did not go through") % {"event": event},
        {"event": event, "until": message.time(message.reservation.deadline)},
        facts=[
            *event_facts(message),
            seats_fact(message),
            (_("Total"), message.money("amount")),
            order_fact(message),
        ],
        links=[(_("Try again"), link("payments:checkout", message.reservation.code))],
    )


def _auto_refund(message: OrderMessage) -> Mail:
    event = message.event
    return Mail(
        "auto_refund",
        _("Your payment for “%(event)s” is being refunded") % {"event": event},
        {"event": event, "amount": money(message.payment.charged, message.body["currency"])},
        facts=[*event_facts(message), order_fact(message)],
        links=[(_("To your order"), message.order_url)],
    )


def _offered(message: OrderMessage) -> Mail | None:
    """Returned seats are offered to a fan on the standby list; None if the offer is over."""
    if message.reservation.state not in (Reservation.State.HELD, Reservation.State.PAYING):
        return None
    event, deadline = message.event, parse_datetime(message.body["deadline"])
    until = message.time(deadline or message.reservation.deadline)
    total = money(message.reservation.total, message.reservation.currency)
    return Mail(
        "seats_offered",
        _("It is your turn: seats for “%(event)s”") % {"event": event},
        {"event": event, "until": until},
        facts=[
            *event_facts(message),
            seats_fact(message),
            (_("Total"), total),
            (_("Held until"), until),
        ],
        links=[(_("Book these seats"), f"{settings.SITE_URL}{message.body['link']}")],
    )


def _missed(message: OrderMessage) -> Mail:
    """The offered seats went to the next fan on the list."""
    event = message.event
    return Mail(
        "offer_missed",
        _("Your time to pay for “%(event)s” has run out") % {"event": event},
        {"event": event},
        facts=[*event_facts(message), seats_fact(message)],
        links=[(_("To the standby list"), f"{settings.SITE_URL}{message.body['link']}")],
    )


UNPAID = (Payment.State.FAILED, Payment.State.CANCELLED)
# The fan closed the payment window and need not be told.
ABORTED = ("closed without paying", "PAY_PROCESS_CANCELED")
MAILS: dict[str, Callable[[OrderMessage], Mail | None]] = {
    "ReservationConfirmed": _confirmed,
    "ReservationCancelled": _cancelled,
    "Refunded": _refunded,
    "SeatsCancelled": _seats_cancelled,
    "PaymentFailed": _failed,
    "SeatsOffered": _offered,
    "OfferMissed": _missed,
}
