"""Who has which seats, until when, at what price; and requests that wait for their turn."""

import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.audit import ChangeRecord
from ticketing.core.states import Lifecycle
from ticketing.events.models import Event, Grade, Seat

# Without letters and digits that are taken for each other, or make words.
LETTERS = "23456789BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH = 10


def new_code() -> str:
    """A number for people to read out: nobody guesses one in 10^14."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


class Reservation(Lifecycle):
    class State(models.TextChoices):
        HELD = "held", _("held")
        PAYING = "paying", _("being paid")
        CONFIRMED = "confirmed", _("confirmed")
        RELEASED = "released", _("given back")
        EXPIRED = "expired", _("ran out")
        CANCELLED = "cancelled", _("cancelled")
        REFUNDED = "refunded", _("refunded")

    # While it is paid for, the clock can't take it away: only the payment's end moves it on.
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

    code = models.CharField(_("code"), max_length=12, unique=True, default=new_code)
    event = models.ForeignKey(
        Event, models.PROTECT, related_name="reservations", verbose_name=_("event")
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
    # What the client called this request, so that a repeat finds it.
    key = models.CharField(max_length=64, blank=True, default="", editable=False)

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
            # For the seats to point at, so that they end with it.
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
        ]

    def __str__(self) -> str:
        return self.code

    def is_overdue(self, now: datetime) -> bool:
        return self.state == self.State.HELD and self.deadline <= now


class ReservedSeat(models.Model):
    """A seat of a reservation, at the price it had then.

    `live` follows the reservation by a foreign key of both columns that cascades (migration 0001),
    so the constraint below can't be got round by forgetting to update it.
    """

    reservation = models.ForeignKey(
        Reservation,
        models.CASCADE,
        related_name="seats",
        verbose_name=_("reservation"),
        db_constraint=False,
    )
    seat = models.ForeignKey(
        Seat, models.PROTECT, related_name="reserved", verbose_name=_("seat"), db_index=False
    )
    live = models.BooleanField(default=True, editable=False)
    grade = models.CharField(_("price grade"), max_length=8)
    price = models.PositiveIntegerField(_("price"))

    class Meta:
        verbose_name = _("reserved seat")
        verbose_name_plural = _("reserved seats")
        ordering = ["seat_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat"],
                condition=models.Q(live=True),
                name="one_live_reservation_per_seat",
            ),
            models.UniqueConstraint(
                fields=["reservation", "seat"], name="a_seat_once_per_reservation"
            ),
        ]

    def __str__(self) -> str:
        return str(self.seat)

    @property
    def grade_name(self) -> str:
        """As the reader calls it."""
        return str(self._grade.name) if self._grade else self.grade

    @property
    def grade_names(self) -> dict[str, str]:
        known = self._grade
        names = (known.name_ko, known.name_en) if known else (self.grade, self.grade)
        return dict(zip(("ko", "en"), names, strict=True))

    @property
    def _grade(self) -> Grade | None:
        """The seat's, unless it is another one by now: then only the code of the old is known."""
        return self.seat.grade if self.seat.grade.code == self.grade else None


class ReservationChange(ChangeRecord):
    """What operators did to a reservation, when and why. Written once, never edited."""

    reservation = models.ForeignKey(
        Reservation, models.CASCADE, related_name="changes", verbose_name=_("reservation")
    )
    before = models.CharField(_("before"), max_length=9)
    after = models.CharField(_("after"), max_length=9)

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of a reservation")
        verbose_name_plural = _("changes of reservations")


class HoldRequest(Lifecycle):
    """A wish for seats that is fulfilled in its turn: for each seat in order of arrival."""

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
    created_at = models.DateTimeField(_("created"))
    # A worker that is silent for longer is dead; another begins anew.
    leased_until = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(_("finished"), null=True)
    reservation = models.ForeignKey(
        Reservation, models.SET_NULL, null=True, related_name="+", verbose_name=_("reservation")
    )
    refusal: Any = models.JSONField(_("refusal"), null=True)

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
    """A seat of an unfinished request; whose turn it is, is the lowest request of the seat."""

    request = models.ForeignKey(HoldRequest, models.CASCADE, related_name="turns")
    seat_id = models.BigIntegerField()

    class Meta:
        ordering = ["request_id", "seat_id"]
        constraints = [
            models.UniqueConstraint(fields=["seat_id", "request"], name="turns_of_a_seat"),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.seat_id}"
