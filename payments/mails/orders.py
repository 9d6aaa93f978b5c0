"""Mails about money and seats."""

from collections.abc import Callable

from django.conf import settings
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from payments.mails.story import Story, code, going_back, seats, show
from payments.models import Payment
from reservations.models import Reservation
from ticketing.core.mails import Mail, link
from ticketing.core.money import money
from ticketing.events.models import Event


def _confirmed(story: Story) -> Mail:
    event = story.event
    doors = _("Doors open"), story.time(event.doors_at)
    paid = _("Paid"), story.money("amount")
    tickets = _("To your tickets"), link("reservations:tickets")
    return Mail(
        "confirmed",
        _("Your seats for “%(event)s”") % {"event": event},
        {"event": event},
        facts=[*show(story), doors, seats(story), paid, code(story)],
        links=[(_("To your order"), story.order), tickets],
        files=story.files(address=story.order, now=story.payment.created_at),
    )


def _refunded(story: Story) -> Mail | None:
    """Where the seats went with the money, the mail about that says both."""
    event, body = story.event, story.body
    if body.get("is_cancelled"):
        return None
    is_owed = bool(body.get("is_owed"))
    is_theirs = story.reservation.state == Reservation.State.CONFIRMED
    keeps = is_theirs and not is_owed and story.payment.left > 0
    words = {"event": event, "amount": story.money("refunded")}
    return Mail(
        "refunded",
        _("Your refund for “%(event)s”") % {"event": event},
        words | {"is_owed": is_owed, "keeps_seats": keeps},
        facts=[*going_back(story), code(story)],
        links=[(_("To your order"), story.order)],
    )


def _cancelled(story: Story) -> Mail | None:
    """Given back, refunded as a whole, or never paid."""
    event = story.event
    if "refunded" not in story.body:
        return _let_go(story)
    is_called_off = event.state == Event.State.CANCELLED
    words = {"event": event, "amount": story.money("refunded"), "is_called_off": is_called_off}
    return Mail(
        "cancelled",
        _("Cancelled: your seats for “%(event)s”") % {"event": event},
        words,
        facts=[*show(story), seats(story), *going_back(story), code(story)],
        links=[(_("To your order"), story.order)],
    )


def _let_go(story: Story) -> Mail | None:
    """Unless it was charged after all: then the mail about the money going back says it."""
    event = story.event
    if story.payment.state not in UNPAID:
        return None
    return Mail(
        "let_go",
        _("Your seats for “%(event)s” went back on sale") % {"event": event},
        {"event": event},
        facts=[*show(story), seats(story), code(story)],
        links=[(_("To the event"), link("ticketing:event", event.pk))],
    )


def _failed(story: Story) -> Mail | None:
    """Only while it is so: who has paid meanwhile, or chosen other seats, need not read it."""
    event, payment = story.event, story.payment
    if payment.state == Payment.State.REFUNDING:
        return _owed(story)
    is_held = story.reservation.state == Reservation.State.HELD
    if not is_held or payment.state not in UNPAID or payment.failure_code in TURNED_BACK:
        return None
    return Mail(
        "payment_failed",
        _("Your payment for “%(event)s” did not go through") % {"event": event},
        {"event": event, "until": story.time(story.reservation.deadline)},
        facts=[*show(story), seats(story), (_("Total"), story.money("amount")), code(story)],
        links=[(_("Try again"), link("payments:checkout", story.reservation.code))],
    )


def _owed(story: Story) -> Mail:
    event = story.event
    return Mail(
        "owed",
        _("Your money for “%(event)s” goes back to you") % {"event": event},
        {"event": event, "amount": money(story.payment.charged, story.body["currency"])},
        facts=[*show(story), code(story)],
        links=[(_("To your order"), story.order)],
    )


def _offered(story: Story) -> Mail | None:
    """Somebody on the standby list may have seats that came back, and still can."""
    if story.reservation.state not in (Reservation.State.HELD, Reservation.State.PAYING):
        return None
    event, deadline = story.event, parse_datetime(story.body["deadline"])
    until = story.time(deadline or story.reservation.deadline)
    total = money(story.reservation.total, story.reservation.currency)
    return Mail(
        "seats_offered",
        _("It is your turn: seats for “%(event)s”") % {"event": event},
        {"event": event, "until": until},
        facts=[*show(story), seats(story), (_("Total"), total), (_("Held until"), until)],
        links=[(_("Take these seats"), f"{settings.SITE_URL}{story.body['link']}")],
    )


def _missed(story: Story) -> Mail:
    """The seats that were offered went to the next; joining again is a press away."""
    event = story.event
    return Mail(
        "offer_missed",
        _("Your time for the seats of “%(event)s” is up") % {"event": event},
        {"event": event},
        facts=[*show(story), seats(story)],
        links=[(_("To the standby list"), f"{settings.SITE_URL}{story.body['link']}")],
    )


UNPAID = (Payment.State.FAILED, Payment.State.CANCELLED)
# Whoever closed the payment window themselves knows.
TURNED_BACK = ("closed without paying", "PAY_PROCESS_CANCELED")
MAILS: dict[str, Callable[[Story], Mail | None]] = {
    "ReservationConfirmed": _confirmed,
    "ReservationCancelled": _cancelled,
    "Refunded": _refunded,
    "PaymentFailed": _failed,
    "SeatsOffered": _offered,
    "OfferMissed": _missed,
}
