"""An outbox message with the objects it is about, and the facts that several mails list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from payments.models import Payment
from reservations.models import Reservation, Ticket
from reservations.selectors import (
    Order,
    order_files,
    orders_by_code,
    seat_and_grade_label,
    ticket_by_code,
)
from ticketing.accounts.models import User
from ticketing.core.mails import link
from ticketing.core.money import money
from ticketing.core.venue_time import venue_time
from ticketing.events.models import Event, Venue


@dataclass(frozen=True)
class Related:
    """What the messages of a batch are about, read in few statements."""

    people: dict[int, User]
    orders: dict[str, Order]
    payments: dict[str, Payment]


def load_related(bodies: Sequence[dict[str, Any]]) -> Related:
    """What is not found, or no id at all, is left out, so that only its own message fails."""
    return Related(
        people=User.objects.in_bulk(_values(bodies, "fan", int)),
        orders=orders_by_code(_values(bodies, "reservation", str)),
        payments=Payment.objects.in_bulk(_values(bodies, "payment", str), field_name="number"),
    )


def _values(bodies: Sequence[dict[str, Any]], name: str, kind: type) -> set[Any]:
    return {value for body in bodies if isinstance(value := body.get(name), kind)}


@dataclass(frozen=True)
class EventMessage:
    """An outbox message about an event."""

    body: dict[str, Any]
    event: Event

    @property
    def venue(self) -> Venue:
        return self.event.plan.venue

    def time(self, moment: datetime) -> str:
        return venue_time(moment, self.venue.time_zone)


@dataclass(frozen=True)
class OrderMessage(EventMessage):
    """An outbox message about an order."""

    order: Order
    payments: dict[str, Payment]

    @property
    def reservation(self) -> Reservation:
        return self.order.reservation

    @property
    def order_url(self) -> str:
        return link("payments:order", self.reservation.code)

    @cached_property
    def ticket(self) -> Ticket:
        return ticket_by_code(self.body["ticket"])

    @property
    def payment(self) -> Payment:
        return self.payments[self.body["payment"]]

    def money(self, name: str) -> str:
        return money(self.body.get(name) or None, self.body["currency"])

    def seats(self) -> str:
        return "\n  ".join(map(seat_and_grade_label, self.order.seats))

    def files(self, *, address: str, now: datetime) -> list[tuple[str, bytes, str]]:
        """Tickets and calendar entry, unless the event has the mail link to them.

        `now` is fixed so that a repeated mail has the same files.
        """
        if not self.event.mails_tickets:
            return []
        return order_files(
            [each for each in self.order.tickets if each.holder_id == self.body["fan"]],
            host=urlsplit(settings.SITE_URL).hostname or "localhost",
            address=address,
            now=now,
        )


def event_facts(message: EventMessage) -> list[tuple[str, str]]:
    when = message.time(message.event.starts_at)
    return [(_("When"), when), (_("Where"), message.venue.name)]


def seats_fact(message: OrderMessage) -> tuple[str, str]:
    return _("Seats"), message.seats()


def refund_facts(message: OrderMessage) -> list[tuple[str, str]]:
    fee = message.money("fee")
    facts = [(_("Going back"), message.money("refunded"))]
    return [*facts, (_("Kept as the cancellation fee"), fee)] if fee else facts


def order_fact(message: OrderMessage) -> tuple[str, str]:
    return _("Order"), message.reservation.code
