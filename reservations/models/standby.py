"""Sold-out events: returned seats, and the people who wait for them."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from reservations.models.reservations import Reservation
from ticketing.core.audit import ChangeRecord
from ticketing.core.states import Lifecycle
from ticketing.events.models import Event, Seat

# The turn of everybody without a queue number at sell-out: after all numbers, by arrival.
LATER = 2**62


class StandbyList(models.Model):
    """Created when an event sells out. Its row is the lock under which seats are offered."""

    event = models.OneToOneField(
        Event, models.CASCADE, primary_key=True, related_name="standby", verbose_name=_("event")
    )
    sold_out_at = models.DateTimeField(_("sold out"))
    # The last queue number at sell-out: smaller numbers keep their order.
    last_number = models.PositiveBigIntegerField(_("last number of the line"), default=0)

    class Meta:
        verbose_name = _("standby list")
        verbose_name_plural = _("standby lists")
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.event)


class ReturnedSeat(models.Model):
    """A returned seat that is kept out of the open sale; the seat's own state is `held`."""

    seat = models.OneToOneField(
        Seat, models.CASCADE, primary_key=True, related_name="returned", verbose_name=_("seat")
    )
    event = models.ForeignKey(Event, models.CASCADE, related_name="+", verbose_name=_("event"))
    returned_at = models.DateTimeField(_("came back"))
    # A random time, one per order; used by events with the policy `jittered`.
    back_at = models.DateTimeField(_("on sale again"))

    class Meta:
        verbose_name = _("seat that came back")
        verbose_name_plural = _("seats that came back")
        ordering = ["seat_id"]
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.seat)


class StandbyEntry(Lifecycle):
    """Somebody who waits for seats; the smallest (turn, id) is next."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        OFFERED = "offered", _("seats offered")
        TAKEN = "taken", _("taken")
        MISSED = "missed", _("missed")
        LEFT = "left", pgettext_lazy("of a person in a line", "left")

    MOVES = {
        State.WAITING: {State.OFFERED, State.LEFT},
        State.OFFERED: {State.TAKEN, State.MISSED, State.LEFT},
        State.TAKEN: set(),
        State.MISSED: set(),
        State.LEFT: set(),
    }
    LIVE = (State.WAITING, State.OFFERED)

    event = models.ForeignKey(
        Event, models.PROTECT, related_name="standby_entries", verbose_name=_("event")
    )
    fan = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="standby_entries",
        verbose_name=_("person"),
    )
    quantity = models.PositiveSmallIntegerField(_("seats"))
    grade = models.CharField(_("price grade"), max_length=8, blank=True, default="")
    turn = models.PositiveBigIntegerField(_("turn"), default=LATER)
    state = models.CharField(_("status"), max_length=7, choices=State, default=State.WAITING)
    language = models.CharField(max_length=8, blank=True, default="", editable=False)
    reservation = models.OneToOneField(
        Reservation,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="offer",
        verbose_name=_("reservation"),
    )
    created_at = models.DateTimeField(_("joined the list"))
    offered_at = models.DateTimeField(_("offered"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("place on a standby list")
        verbose_name_plural = _("places on standby lists")
        ordering = ["event_id", "turn", "id"]
        default_permissions = ("view", "change")
        constraints = [
            models.UniqueConstraint(
                fields=["event", "fan"],
                condition=models.Q(state__in=["waiting", "offered"]),
                name="one_place_on_a_standby_list",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "offered", "taken", "missed", "left"]),
                name="a_standby_place_is_in_a_known_state",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "left"])
                | models.Q(reservation__isnull=False),
                name="what_is_offered_is_reserved",
            ),
            models.CheckConstraint(
                condition=models.Q(quantity__gte=1), name="a_standby_place_is_for_somebody"
            ),
        ]
        indexes = [
            models.Index(
                fields=["event", "turn", "id"],
                condition=models.Q(state="waiting"),
                name="standby_in_order",
            ),
            models.Index(fields=["id"], condition=models.Q(state="offered"), name="standby_offers"),
        ]

    def __str__(self) -> str:
        return f"{self.event}: {self.fan}"

    @property
    def was_in_line(self) -> bool:
        return self.turn < LATER

    def state_at(self, now: datetime) -> str:
        """The state now, even if the outcome of the offer has not been stored yet."""
        if self.state != self.State.OFFERED or self.reservation is None:
            return self.state
        if self.reservation.is_overdue(now):
            return self.State.MISSED
        return OUTCOMES.get(Reservation.State(self.reservation.state), self.State.OFFERED)


# The outcome of an offer by the state of its reservation.
OUTCOMES = {
    Reservation.State.CONFIRMED: StandbyEntry.State.TAKEN,
    Reservation.State.REFUNDED: StandbyEntry.State.TAKEN,
    Reservation.State.EXPIRED: StandbyEntry.State.MISSED,
    Reservation.State.CANCELLED: StandbyEntry.State.MISSED,
    Reservation.State.RELEASED: StandbyEntry.State.LEFT,
}


class StandbyChange(ChangeRecord):
    """Every change of an entry, by whoever made it. Never edited."""

    entry = models.ForeignKey(
        StandbyEntry,
        models.CASCADE,
        related_name="changes",
        verbose_name=_("place on a standby list"),
    )
    before = models.CharField(_("before"), max_length=40, blank=True)
    after = models.CharField(_("after"), max_length=40)

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of a place on a standby list")
        verbose_name_plural = _("changes of places on standby lists")
        default_permissions = ("view",)
