"""The queue in front of a sale: its state and its knobs."""

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from ticketing.events.models import Event
from waiting_queue.models.draw_secrets import DrawSecrets, new_draw_secrets

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
    "companions",
    "stock_factor",
    "lobby_opens_at",
    "opens_at",
    "mode",
    "moves_groups",
)
NOTICE_MAX_LENGTH = 300
PUBLIC_VALUE_MAX_LENGTH = 200
one_plain_line = RegexValidator(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]",
    _("Write one line, without control characters."),
    code="control_characters",
    inverse_match=True,
)


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

    class Mode(models.TextChoices):
        """How people get their places."""

        FIRST_COME = "first_come", _("first come, first served")
        DRAW = "draw", _("lobby, then draw")
        MINUTE_DRAW = "minute_draw", _("draw all along, every minute")
        PASSTHROUGH = "passthrough", _("no line, everyone comes in")
        CLOSED = "closed", _("nobody comes in")

    MOVES = {
        State.SCHEDULED: {State.LOBBY, State.OPEN, State.CLOSED},
        State.LOBBY: {State.OPEN, State.CLOSED},
        State.OPEN: {State.PAUSED, State.DRAINING, State.CLOSED},
        State.PAUSED: {State.OPEN, State.DRAINING, State.CLOSED},
        State.DRAINING: {State.OPEN, State.CLOSED},
        State.CLOSED: {State.SCHEDULED, State.OPEN},
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
    mode = models.CharField(
        _("mode"),
        max_length=11,
        choices=Mode,
        default=Mode.DRAW,
        db_default=Mode.DRAW,
        help_text=_("How people get their places. Whoever comes after a draw is behind it."),
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
    companions = models.PositiveSmallIntegerField(
        **knob(
            _("companions"),
            3,
            _("So many people may join somebody in line, as a party with one limit; 0: none."),
            low=0,
            high=20,
            db_default=3,
        )
    )
    stock_factor = models.FloatField(
        **knob(
            _("stock factor"),
            None,
            _("So many people inside per free seat. Empty: by how many seats people take."),
            low=0,
            high=1_000,
            null=True,
            blank=True,
        )
    )
    moves_groups = models.BooleanField(
        _("move groups"),
        default=True,
        db_default=True,
        help_text=_(
            "The system moves many new accounts of one network to the end, until they verify."
        ),
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
    # Numbers up to this one may have been given and lost with Redis before the last rebuild.
    numbers_from = models.BigIntegerField(default=0, db_default=0, editable=False)
    # The hash of the draw's secret, and secret and salt encrypted: see `draw_secrets`.
    draw_secrets = models.CharField(
        max_length=400, default=new_draw_secrets, db_default="", editable=False
    )
    public_value_source = models.CharField(
        _("public value that is announced"),
        max_length=PUBLIC_VALUE_MAX_LENGTH,
        blank=True,
        default="",
        db_default="",
        editable=False,
        validators=[one_plain_line],
    )
    public_value = models.CharField(
        _("public value"),
        max_length=PUBLIC_VALUE_MAX_LENGTH,
        blank=True,
        default="",
        db_default="",
        editable=False,
        validators=[one_plain_line],
    )
    # The commitment of the draws of minutes, and their secrets encrypted; empty until that mode.
    minute_secrets = models.CharField(
        max_length=400, blank=True, default="", db_default="", editable=False
    )
    # Of the previous release, whose processes may still run; the next one drops it: `mode` says it.
    shuffle_lobby = models.BooleanField(
        _("draw the lobby by lot"), default=True, db_default=True, editable=False
    )
    # Plain secrets of the previous release, whose processes may still run; the next one drops them.
    seed = models.CharField(max_length=64, default="", db_default="", editable=False)
    salt = models.CharField(max_length=64, default="", db_default="", editable=False)

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

    @property
    def secret_sha256(self) -> str:
        """The hash that commits to the draw's secret: published from the beginning."""
        return self.draw_secrets.partition(":")[0]

    def open_draw_secrets(self) -> DrawSecrets:
        """Decrypt the draw's secret and salt."""
        return DrawSecrets.decrypt(self.draw_secrets)

    @property
    def line_state(self) -> str:
        """The state as people in line know it: paused while the sale is, or nobody comes in."""
        is_held = self.event.state == Event.State.PAUSED or self.mode == self.Mode.CLOSED
        return self.State.PAUSED if self.state == self.State.OPEN and is_held else self.state

    @property
    def draws_lobby(self) -> bool:
        """Whether the people in the lobby get their places by lot, and not by order of arrival."""
        return self.mode in (self.Mode.DRAW, self.Mode.MINUTE_DRAW)

    @property
    def minutes_sha256(self) -> str:
        """What commits to the secrets of all minutes; empty if none is drawn."""
        return self.minute_secrets.partition(":")[0]
