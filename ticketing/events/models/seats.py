"""The seats of an event: one row each, which is what is locked, held and sold."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from ticketing.events.models.events import Event
from ticketing.events.models.grades import Grade
from ticketing.events.models.venues import Place, Section


class Seat(Lifecycle):
    class State(models.TextChoices):
        AVAILABLE = "available", _("available")
        HELD = "held", _("held")
        SOLD = "sold", _("sold")
        BLOCKED = "blocked", _("held back")

    MOVES = {
        State.AVAILABLE: {State.HELD, State.BLOCKED},
        State.HELD: {State.AVAILABLE, State.SOLD},
        State.SOLD: {State.AVAILABLE, State.HELD},
        State.BLOCKED: {State.AVAILABLE},
    }

    # Every index is written to by every hold: event and place are found through those below.
    event = models.ForeignKey(
        Event, models.CASCADE, related_name="seats", verbose_name=_("event"), db_index=False
    )
    place = models.ForeignKey(
        Place, models.PROTECT, related_name="+", verbose_name=_("place"), db_index=False
    )
    section = models.ForeignKey(
        Section, models.PROTECT, related_name="+", verbose_name=_("section"), db_index=False
    )
    grade = models.ForeignKey(
        Grade, models.PROTECT, related_name="seats", verbose_name=_("price grade")
    )
    state = models.CharField(_("status"), max_length=9, choices=State, default=State.AVAILABLE)
    # Distance from the middle of the stage, in the plan's units; the closest seats are the best.
    distance = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["place", "event"], name="one_seat_per_place_and_event"),
            models.CheckConstraint(
                condition=models.Q(state__in=["available", "held", "sold", "blocked"]),
                name="a_seat_is_in_a_known_state",
            ),
        ]
        indexes = [
            models.Index(
                fields=["event", "grade", "distance"],
                condition=models.Q(state="available"),
                name="best_seats_left",
            ),
            models.Index(fields=["event", "section"], name="seats_of_a_section"),
            models.Index(
                fields=["event", "section"],
                condition=models.Q(state="available"),
                name="places_left",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.place}"
