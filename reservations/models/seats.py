"""The seats of reservations: those they have, and those that were cancelled alone."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from reservations.models.reservations import Reservation
from ticketing.events.models import Grade, Seat


class ReservedSeat(models.Model):
    """A seat of a reservation, at the price of that moment.

    `live` follows the reservation through a cascading foreign key of both columns (migration 0001),
    so no code can forget to update what the constraint below relies on.
    """

    reservation = models.ForeignKey(
        Reservation,
        models.CASCADE,
        related_name="seats",
        verbose_name=_("reservation"),
        db_constraint=False,
        db_index=False,
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
        """In the reader's language."""
        return str(self._grade.name) if self._grade else self.grade

    @property
    def _grade(self) -> Grade | None:
        """The seat's grade, unless it changed since: then only the old code is known."""
        return self.seat.grade if self.seat.grade.code == self.grade else None


class CancelledSeat(models.Model):
    """A seat that was cancelled while the order kept others; it is no `ReservedSeat` any more."""

    reservation = models.ForeignKey(
        Reservation, models.CASCADE, related_name="cancelled", verbose_name=_("reservation")
    )
    seat = models.ForeignKey(Seat, models.PROTECT, related_name="+", verbose_name=_("seat"))
    grade = models.CharField(_("price grade"), max_length=8)
    price = models.PositiveIntegerField(_("price"))
    at = models.DateTimeField(_("when"))

    class Meta:
        verbose_name = _("cancelled seat")
        verbose_name_plural = _("cancelled seats")
        ordering = ["seat_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["reservation", "seat"], name="a_seat_is_cancelled_once_per_order"
            ),
        ]

    def __str__(self) -> str:
        return str(self.seat)
