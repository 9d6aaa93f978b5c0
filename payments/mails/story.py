"""What a mail speaks of, and the facts that many of them name."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from payments.models import Payment
from reservations.models import Reservation, Ticket
from reservations.selectors import order_files, ticket_told, with_seats
from ticketing.core.mails import link
from ticketing.core.money import money
from ticketing.core.venue_time import venue_time
from ticketing.events.models import Event, Venue


@dataclass(frozen=True)
class Notice:
    """A message of the outbox about an event."""

    body: dict[str, Any]
    event: Event

    @property
    def venue(self) -> Venue:
        return self.event.plan.venue

    def time(self, moment: datetime) -> str:
        return venue_time(moment, self.venue.time_zone)


@dataclass(frozen=True)
class Story(Notice):
    """One about an order, too."""

    reservation: Reservation

    @property
    def order(self) -> str:
        return link("payments:order", self.reservation.code)

    @cached_property
    def ticket(self) -> Ticket:
        return ticket_told(self.body["ticket"])

    @property
    def payment(self) -> Payment:
        return Payment.objects.get(number=self.body["payment"])

    def money(self, name: str) -> str:
        return money(self.body.get(name) or None, self.body["currency"])

    def seats(self) -> str:
        return "\n  ".join(map(_seat, with_seats([self.reservation])[0].seats))

    def files(self, *, address: str, now: datetime) -> list[tuple[str, bytes, str]]:
        """The same each time: a repeat is no later than the first."""
        return order_files(
            code=self.reservation.code,
            fan_id=self.body["fan"],
            host=urlsplit(settings.SITE_URL).hostname or "localhost",
            address=address,
            now=now,
        )


def show(story: Notice) -> list[tuple[str, str]]:
    when = story.time(story.event.starts_at)
    return [(_("When"), when), (_("Where"), story.venue.name)]


def seats(story: Story) -> tuple[str, str]:
    return _("Seats"), story.seats()


def going_back(story: Story) -> list[tuple[str, str]]:
    fee = story.money("fee")
    back = [(_("Going back"), story.money("refunded"))]
    return [*back, (_("Kept as the cancellation fee"), fee)] if fee else back


def code(story: Story) -> tuple[str, str]:
    return _("Order"), story.reservation.code


def _seat(seat: dict[str, Any]) -> str:
    place = {"section": seat["section_name"], "row": seat["row"], "number": seat["number"]}
    if seat["row"]:
        words = _("%(section)s, row %(row)s, seat %(number)s") % place
    else:
        words = _("%(section)s, place %(number)s") % place
    return f"{words} · {seat['grade_name']}"
