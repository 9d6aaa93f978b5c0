"""Reservations, and asynchronous requests for holds."""

import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.audit import ChangeRecord
from ticketing.core.states import Lifecycle
from ticketing.events.models import Event

# No characters that look alike, and no vowels, so that no words appear.
LETTERS = "23456789BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH = 10


def new_code() -> str:
    """A random code that people can read out; 28^10, so it cannot be guessed."""
    number, letters = secrets.randbelow(len(LETTERS) ** CODE_LENGTH), ""
    while len(letters) < CODE_LENGTH:
        number, at = divmod(number, len(LETTERS))
        letters += LETTERS[at]
    return letters


class Reservation(Lifecycle):
    class State(models.TextChoices):
        HELD = "held", _("held")
        PAYING = "paying", _("being paid")
        CONFIRMED = "confirmed", _("confirmed")
        RELEASED = "released", _("given back")
        EXPIRED = "expired", _("ran out")
        CANCELLED = "cancelled", _("cancelled")
        REFUNDED = "refunded", _("refunded")

    # PAYING does not expire: only the end of the payment moves it on.
    MOVES = {
        State.HELD: {State.PAYING, State.RELEASED, State.EXPIRED},
        State.PAYING: {State.HELD, State.CONFIRMED, State.CANCELLED},
        State.CONFIRMED: {State.REFUNDED},
        State.RELEASED: set(),
        State.EXPIRED: set(),
        State.CANCELLED: set(),
        State.REFUNDED: set(),
    }
    LIVE = (State.HELD, State.PAYING, State.CONFIRMED)

    # Unique by a constraint: `unique=True` would add an index for patterns, which nobody asks for.
    code = models.CharField(_("code"), max_length=12, default=new_code)
    event = models.ForeignKey(
        Event,
        models.PROTECT,
        related_name="reservations",
        verbose_name=_("event"),
        db_index=False,
    )
    fan = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="reservations",
        verbose_name=_("person"),
    )
    state = models.CharField(_("status"), max_length=9, choices=State, default=State.HELD)
    live = models.GeneratedField(
        expression=models.Q(state__in=["held", "paying", "confirmed"]),  # type: ignore[arg-type]
        output_field=models.BooleanField(),
        db_persist=True,
    )
    created_at = models.DateTimeField(_("created"))
    deadline = models.DateTimeField(_("kept until"))
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    total = models.PositiveBigIntegerField(_("total"))
    currency = models.CharField(_("currency"), max_length=3)
    # Idempotency key of the client: a repeat finds this reservation.
    key = models.CharField(max_length=64, blank=True, default="", editable=False)
    # The number with which the person was called as one of a party, whose seats count together.
    party = models.BigIntegerField(null=True, editable=False)

    class Meta:
        verbose_name = _("reservation")
        verbose_name_plural = _("reservations")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=[
                        *("held", "paying", "confirmed", "released"),
                        *("expired", "cancelled", "refunded"),
                    ]
                ),
                name="a_reservation_is_in_a_known_state",
            ),
            models.CheckConstraint(
                condition=models.Q(deadline__gt=models.F("created_at")),
                name="a_hold_lasts_a_while",
            ),
            models.UniqueConstraint(fields=["code"], name="one_reservation_per_code"),
            # Target of the seats' foreign key, which copies `live` (migration 0001).
            models.UniqueConstraint(fields=["id", "live"], name="a_reservation_and_if_it_is_live"),
            models.UniqueConstraint(
                fields=["fan", "event", "key"],
                condition=~models.Q(key=""),
                name="one_reservation_per_key",
            ),
        ]
        indexes = [
            models.Index(
                fields=["deadline"], condition=models.Q(state="held"), name="holds_by_deadline"
            ),
            models.Index(fields=["event", "fan"], name="reservations_of_a_person"),
            models.Index(
                fields=["event", "party"],
                condition=models.Q(party__isnull=False),
                name="reservations_of_a_party",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    def is_overdue(self, now: datetime) -> bool:
        return self.state == self.State.HELD and self.deadline <= now


class ReservationChange(ChangeRecord):
    """What operators did to a reservation, when and why. Never edited."""

    reservation = models.ForeignKey(
        Reservation, models.CASCADE, related_name="changes", verbose_name=_("reservation")
    )
    before = models.CharField(_("before"), max_length=9)
    after = models.CharField(_("after"), max_length=9)

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of a reservation")
        verbose_name_plural = _("changes of reservations")


class HoldRequest(Lifecycle):
    """An asynchronous request for seats, processed in order of arrival for each seat."""

    class State(models.TextChoices):
        PENDING = "pending", _("waiting")
        PROCESSING = "processing", _("being worked on")
        SUCCESS = "success", _("fulfilled")
        FAILED = "failed", _("refused")

    MOVES = {
        State.PENDING: {State.PROCESSING, State.FAILED},
        State.PROCESSING: {State.PENDING, State.SUCCESS, State.FAILED},
        State.SUCCESS: set(),
        State.FAILED: set(),
    }

    code = models.CharField(_("code"), max_length=12, unique=True, default=new_code)
    event = models.ForeignKey(Event, models.CASCADE, related_name="+", verbose_name=_("event"))
    fan = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    seats = ArrayField(models.BigIntegerField(), verbose_name=_("seats"))
    state = models.CharField(_("status"), max_length=10, choices=State, default=State.PENDING)
    key = models.CharField(max_length=64, blank=True, default="", editable=False)
    party = models.BigIntegerField(null=True, editable=False)
    created_at = models.DateTimeField(_("created"))
    # After this another worker takes the request over.
    leased_until = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(_("finished"), null=True)
    reservation = models.ForeignKey(
        Reservation, models.SET_NULL, null=True, related_name="+", verbose_name=_("reservation")
    )
    refusal: Any = models.JSONField(_("refusal"), null=True)
    # Place among those who want one of its seats, from 1; known when it is accepted or polled.
    place: int | None = None

    class Meta:
        verbose_name = _("request for seats")
        verbose_name_plural = _("requests for seats")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["fan", "event", "key"],
                condition=~models.Q(key=""),
                name="one_request_per_key",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"],
                condition=models.Q(state__in=["pending", "processing"]),
                name="requests_in_order",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class RequestedSeat(models.Model):
    """A seat of an unfinished request; the lowest request id of a seat is next."""

    request = models.ForeignKey(HoldRequest, models.CASCADE, related_name="turns")
    seat_id = models.BigIntegerField()

    class Meta:
        ordering = ["request_id", "seat_id"]
        constraints = [
            models.UniqueConstraint(fields=["seat_id", "request"], name="turns_of_a_seat"),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.seat_id}"


class PassMove(models.Model):
    """How often another browser has taken over the pass of one stay in line.

    A hold that was let through before the last of them, and is still on its way, is refused by it.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="+", db_index=False)
    fan = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    stay = models.CharField(max_length=40)
    moves = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "fan", "stay"], name="one_pass_per_stay"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id}, {self.fan_id}: {self.moves}"
