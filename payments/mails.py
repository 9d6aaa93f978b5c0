"""What people read in their mail about money and seats, in the language in which they paid."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import translation
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from payments.models import Payment
from reservations.models import Reservation
from reservations.selectors import order_files, time_words, with_seats
from ticketing.accounts.models import User
from ticketing.core import mails
from ticketing.core.mails import Mail, link
from ticketing.core.money import money
from ticketing.models import Event, Venue


@dataclass(frozen=True)
class Story:
    """A message of the outbox with what it speaks of."""

    body: dict[str, Any]
    reservation: Reservation

    @property
    def event(self) -> Event:
        return self.reservation.event

    @property
    def venue(self) -> Venue:
        return self.event.plan.venue

    @property
    def order(self) -> str:
        return link("payments:order", self.reservation.code)

    @property
    def payment(self) -> Payment:
        return Payment.objects.get(number=self.body["payment"])

    def money(self, name: str) -> str:
        return money(self.body.get(name) or None, self.body["currency"])

    def time(self, moment: datetime) -> str:
        return time_words(moment, self.venue.time_zone)

    def seats(self) -> str:
        return "\n  ".join(map(_seat, with_seats([self.reservation])[0].seats))

    def files(self) -> list[tuple[str, bytes, str]]:
        """The same each time: a repeat is no later than the first."""
        return order_files(
            code=self.reservation.code,
            fan_id=self.body["fan"],
            host=urlsplit(settings.SITE_URL).hostname or "localhost",
            address=self.order,
            now=self.payment.created_at,
        )


def send_about(kind: str, body: dict[str, Any], *, name: str) -> None:
    """The same message has the same name, so that a mail program shows a repeat once."""
    write = MAILS.get(kind)
    if write is None:
        return
    person = User.objects.get(pk=body["fan"])
    found = Reservation.objects.select_related("event__plan__venue").get(code=body["reservation"])
    with translation.override(body.get("language") or settings.LANGUAGE_CODE):
        if mail := write(Story(body, found)):
            mails.send(mail, to=person.email, who=person.display_name, name=name)


def _confirmed(story: Story) -> Mail:
    event = story.event
    doors = _("Doors open"), story.time(event.doors_at)
    paid = _("Paid"), story.money("amount")
    tickets = _("To your tickets"), link("reservations:tickets")
    return Mail(
        "confirmed",
        _("Your seats for “%(event)s”") % {"event": event},
        {"event": event},
        facts=[*_show(story), doors, _seats(story), paid, _code(story)],
        links=[(_("To your order"), story.order), tickets],
        files=story.files(),
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
        facts=[*_back(story), _code(story)],
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
        facts=[*_show(story), _seats(story), *_back(story), _code(story)],
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
        facts=[*_show(story), _seats(story), _code(story)],
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
        facts=[*_show(story), _seats(story), (_("Total"), story.money("amount")), _code(story)],
        links=[(_("Try again"), link("payments:checkout", story.reservation.code))],
    )


def _owed(story: Story) -> Mail:
    event = story.event
    return Mail(
        "owed",
        _("Your money for “%(event)s” goes back to you") % {"event": event},
        {"event": event, "amount": money(story.payment.charged, story.body["currency"])},
        facts=[*_show(story), _code(story)],
        links=[(_("To your order"), story.order)],
    )


def _offered(story: Story) -> Mail:
    """Somebody on the standby list may have seats that came back."""
    event, deadline = story.event, parse_datetime(story.body["deadline"])
    until = story.time(deadline or story.reservation.deadline)
    total = money(story.reservation.total, story.reservation.currency)
    return Mail(
        "seats_offered",
        _("It is your turn: seats for “%(event)s”") % {"event": event},
        {"event": event, "until": until},
        facts=[*_show(story), _seats(story), (_("Total"), total), (_("Held until"), until)],
        links=[(_("Take these seats"), f"{settings.SITE_URL}{story.body['link']}")],
    )


def _show(story: Story) -> list[tuple[str, str]]:
    when = story.time(story.event.starts_at)
    return [(_("When"), when), (_("Where"), story.venue.name)]


def _seats(story: Story) -> tuple[str, str]:
    return _("Seats"), story.seats()


def _back(story: Story) -> list[tuple[str, str]]:
    fee = story.money("fee")
    back = [(_("Going back"), story.money("refunded"))]
    return [*back, (_("Kept as the cancellation fee"), fee)] if fee else back


def _code(story: Story) -> tuple[str, str]:
    return _("Order"), story.reservation.code


def _seat(seat: dict[str, Any]) -> str:
    place = {"section": seat["section"], "row": seat["row"], "number": seat["number"]}
    if seat["row"]:
        return _("%(section)s, row %(row)s, seat %(number)s") % place
    return _("%(section)s, place %(number)s") % place


UNPAID = (Payment.State.FAILED, Payment.State.CANCELLED)
# Whoever closed the payment window themselves knows.
TURNED_BACK = ("closed without paying", "PAY_PROCESS_CANCELED")
MAILS: dict[str, Callable[[Story], Mail | None]] = {
    "ReservationConfirmed": _confirmed,
    "ReservationCancelled": _cancelled,
    "Refunded": _refunded,
    "PaymentFailed": _failed,
    "SeatsOffered": _offered,
}
