"""A queue in front of a sale: its state, its knobs, who turned them, and what happened."""

import secrets
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ticketing.core.audit import ChangeRecord
from ticketing.core.states import Lifecycle
from ticketing.events.models import Event

LONGEST_NOTICE = 300
LONGEST_APPEAL = 500
one_plain_line = RegexValidator(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]",
    _("Write one line, without control characters."),
    code="control_characters",
    inverse_match=True,
)


def new_seed() -> str:
    """A secret of the draw. The seed's hash is published before the opening, the seed after it."""
    return secrets.token_hex(32)


def knob(
    words: Any, default: Any, help_text: Any, *, low: int, high: int, **more: Any
) -> dict[str, Any]:
    return {
        "verbose_name": words,
        "default": default,
        "help_text": help_text,
        "validators": [MinValueValidator(low), MaxValueValidator(high)],
    } | more


class SaleQueue(Lifecycle):
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
        max_length=LONGEST_NOTICE,
        blank=True,
        default="",
        db_default="",  # for processes of the release before, which don't name it
        editable=False,
        validators=[one_plain_line],
    )
    epoch = models.CharField(max_length=24, blank=True, editable=False)
    seed = models.CharField(max_length=64, default=new_seed, editable=False)
    # Makes people's names in the published draw, and never leaves this row.
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


class QueueChange(ChangeRecord):
    """Who changed a queue, when, from what to what, and why. Written once, never edited."""

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="changes", verbose_name=_("queue")
    )
    what = models.CharField(_("what"), max_length=40)
    before = models.CharField(_("before"), max_length=LONGEST_NOTICE, blank=True)
    after = models.CharField(_("after"), max_length=LONGEST_NOTICE, blank=True)

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of a queue")
        verbose_name_plural = _("changes of queues")


class QueueJournal(models.Model):
    """What happened to somebody in a line, copied out of Redis in batches."""

    class Kind(models.TextChoices):
        LOBBY = "lobby", _("came to the lobby")
        JOIN = "join", _("got a number")
        READY = "ready", _("was called")
        ADMIT = "admit", _("came in")
        COMPLETED = "completed", _("finished")
        LEFT = "left", pgettext_lazy("of a person in a line", "left")
        EXPIRED = "expired", _("was away or too late")
        BLOCKED = "blocked", _("was moved out")
        CLOSED = "closed", _("the queue closed")

    event = models.ForeignKey(Event, models.CASCADE, related_name="+", verbose_name=_("event"))
    entry = models.CharField(max_length=40)
    at = models.DateTimeField(_("when"))
    person = models.BigIntegerField(_("person"))
    kind = models.CharField(_("what"), max_length=9, choices=Kind)
    number = models.BigIntegerField(_("number"))

    class Meta:
        verbose_name = _("journal entry")
        verbose_name_plural = _("journal")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["event", "entry"], name="an_entry_is_journalled_once")
        ]
        indexes = [
            models.Index(fields=["event", "person", "id"], name="journal_of_a_person"),
            models.Index(fields=["event", "number", "id"], name="journal_of_a_number"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%H:%M:%S} {self.person} {self.kind} {self.number}"


class BlockAppeal(Lifecycle):
    """What somebody who was blocked answers, and what an operator said to that."""

    class State(models.TextChoices):
        OPEN = "open", _("waits for an answer")
        LIFTED = "lifted", _("the block was lifted")
        REFUSED = "refused", _("the block stays")

    MOVES = {State.OPEN: {State.LIFTED, State.REFUSED}, State.LIFTED: set(), State.REFUSED: set()}

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="appeals", verbose_name=_("queue")
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    at = models.DateTimeField(_("when"))
    words = models.CharField(_("words"), max_length=LONGEST_APPEAL)
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.OPEN)
    answer = models.CharField(_("answer"), max_length=200, blank=True)
    answered_at = models.DateTimeField(_("answered"), null=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("answered by"),
    )

    class Meta:
        verbose_name = _("appeal against a block")
        verbose_name_plural = _("appeals against blocks")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["queue", "person"],
                condition=models.Q(state="open"),
                name="one_open_appeal_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return self.words


class QueueDraw(models.Model):
    """The lot of a lobby: who was in it and in which order they came out. Anyone can check it."""

    queue = models.OneToOneField(
        SaleQueue, models.CASCADE, related_name="draw", verbose_name=_("queue"), primary_key=True
    )
    at = models.DateTimeField(_("when"))
    seed = models.CharField(_("seed"), max_length=64)
    shuffled = models.BooleanField(_("drawn by lot"), default=True)
    first_number = models.BigIntegerField(_("first number"), default=0)
    # In drawn order; kept before anybody gets a number, so that a draw can go on as it began.
    people = models.JSONField(_("people"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        verbose_name = _("draw")
        verbose_name_plural = _("draws")

    def __str__(self) -> str:
        return str(self.queue)
