"""The queue in front of a sale: its state and its knobs."""

import secrets
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from ticketing.events.models import Event

# The fields that operators may change; `services.set_knobs` accepts no other.
KNOBS = (
    "max_inside",
    "admit_per_second",
    "capacity",
    "claim_seconds",
    "pass_seconds",
    "pass_max_seconds",
    "absence_seconds",
    "queues_per_person",
    "stock_factor",
    "lobby_opens_at",
    "opens_at",
    "shuffle_lobby",
)
NOTICE_MAX_LENGTH = 300
one_plain_line = RegexValidator(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]",
    _("Write one line, without control characters."),
    code="control_characters",
    inverse_match=True,
)


def new_seed() -> str:
    """Return a new secret for a draw."""
    return secrets.token_hex(32)


def knob(
    verbose_name: Any, default: Any, help_text: Any, *, low: int, high: int, **options: Any
) -> dict[str, Any]:
    """Return the arguments of a numeric model field with a lower and an upper bound."""
    return {
        "verbose_name": verbose_name,
        "default": default,
        "help_text": help_text,
        "validators": [MinValueValidator(low), MaxValueValidator(high)],
    } | options


class SaleQueue(Lifecycle):
    """The queue of one event; every tick reads its knobs, so a change works within a second."""

    class State(models.TextChoices):
        SCHEDULED = "scheduled", _("scheduled")
        LOBBY = "lobby", _("lobby open")
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        DRAINING = "draining", _("draining")
        CLOSED = "closed", _("closed")

    MOVES = {
        State.SCHEDULED: {State.LOBBY, State.OPEN, State.CLOSED},
        State.LOBBY: {State.OPEN, State.CLOSED},
        State.OPEN: {State.PAUSED, State.DRAINING, State.CLOSED},
        State.PAUSED: {State.OPEN, State.DRAINING, State.CLOSED},
        State.DRAINING: {State.OPEN, State.CLOSED},
        State.CLOSED: set(),
    }
    RUNNING = frozenset(State) - {State.SCHEDULED, State.CLOSED}

    event = models.OneToOneField(
        Event, models.CASCADE, related_name="queue", verbose_name=_("event"), primary_key=True
    )
    state = models.CharField(
        _("state"), max_length=9, choices=State, default=State.SCHEDULED, editable=False
    )
    lobby_opens_at = models.DateTimeField(
        _("lobby opens"),
        null=True,
        blank=True,
        help_text=_("From then on people gather without order. Empty: no lobby."),
    )
    opens_at = models.DateTimeField(
        _("queue opens"), help_text=_("The lobby is drawn at this moment.")
    )
    shuffle_lobby = models.BooleanField(
        _("draw the lobby by lot"),
        default=True,
        help_text=_("Off: people in the lobby keep the order in which they came."),
    )
    max_inside = models.PositiveIntegerField(
        **knob(
            _("people inside"),
            800,
            _("At most so many choose seats at once."),
            low=1,
            high=1_000_000,
        )
    )
    admit_per_second = models.FloatField(
        **knob(
            _("admissions per second"),
            10,
            _("Fractions are fine; 0 means no limit."),
            low=0,
            high=100_000,
        )
    )
    capacity = models.PositiveIntegerField(
        **knob(
            _("capacity"),
            50_000,
            _("When so many wait, newcomers are turned away."),
            low=1,
            high=10_000_000,
        )
    )
    claim_seconds = models.PositiveIntegerField(
        **knob(
            _("time to claim"),
            60,
            _("Seconds to come in once it is one's turn."),
            low=5,
            high=3_600,
        )
    )
    pass_seconds = models.PositiveIntegerField(
        **knob(_("pass"), 300, _("Seconds inside without doing anything."), low=10, high=86_400)
    )
    pass_max_seconds = models.PositiveIntegerField(
        **knob(
            _("longest stay"),
            1_800,
            _("Seconds inside altogether, however busy."),
            low=10,
            high=86_400,
        )
    )
    absence_seconds = models.PositiveIntegerField(
        **knob(
            _("absence"),
            300,
            _("Seconds that a place is kept for somebody who is away."),
            low=10,
            high=86_400,
        )
    )
    queues_per_person = models.PositiveIntegerField(
        **knob(
            _("lines per person"),
            1,
            _("In so many lines one person may stand; 0 means any number."),
            low=0,
            high=1_000,
        )
    )
    stock_factor = models.FloatField(
        **knob(
            _("stock factor"),
            None,
            _("At most so many people inside per seat still free. Empty: off."),
            low=0,
            high=1_000,
            null=True,
            blank=True,
        )
    )
    notice = models.CharField(
        _("message to everyone in line"),
        max_length=NOTICE_MAX_LENGTH,
        blank=True,
        default="",
        db_default="",  # processes of the previous release insert rows without this column
        editable=False,
        validators=[one_plain_line],
    )
    # Names the line in Redis: new after a rebuild, empty before the queue starts and once archived.
    epoch = models.CharField(max_length=24, blank=True, editable=False)
    # Its hash is published before the opening, the seed itself after the draw.
    seed = models.CharField(max_length=64, default=new_seed, editable=False)
    # Hashed with a person's id into their entry in the published draw; never published itself.
    salt = models.CharField(max_length=64, default=new_seed, editable=False)

    class Meta:
        verbose_name = _("queue of a sale")
        verbose_name_plural = _("queues of sales")
        ordering = ["opens_at", "event_id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(lobby_opens_at=None)
                | models.Q(lobby_opens_at__lt=models.F("opens_at")),
                name="the_lobby_opens_before_the_queue",
                violation_error_message=_("The lobby opens before the queue."),
            ),
            models.CheckConstraint(
                condition=models.Q(pass_seconds__lte=models.F("pass_max_seconds")),
                name="a_pass_is_no_longer_than_the_longest_stay",
                violation_error_message=_("A pass can't be longer than the longest stay."),
            ),
        ]

    def __str__(self) -> str:
        return str(self.event)
