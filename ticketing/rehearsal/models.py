"""A rehearsal: the event, who started it, its state and its report."""

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from ticketing.events.models import Event

# Lower case, as in URLs; without vowels, which make words, and letters that look alike.
CODE_LETTERS = "bcdfghjkmnpqrstvwxz"
CODE_LENGTH = 8
# The permission to start and stop rehearsals.
REHEARSE = "rehearsal.add_rehearsal"


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


class Rehearsal(Lifecycle):
    """A row per rehearsal. It stays, with the report, when the copy and its people are deleted."""

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        PASSED = "passed", _("everything held")
        FAILED = "failed", _("something did not hold")
        STOPPED = "stopped", _("stopped")

    MOVES = {
        State.RUNNING: {State.PASSED, State.FAILED, State.STOPPED},
        State.PASSED: set(),
        State.FAILED: set(),
        State.STOPPED: set(),
    }

    class Profile(models.TextChoices):
        RUSH = "rush", _("rush: nearly everybody at the opening")
        STEADY = "steady", _("steady: all the time")
        BOTS = "bots", _("bots among the fans")

    class Faults(models.TextChoices):
        NONE = "none", _("none")
        SOME = "some", _("some: the payment gateway is slow and fails")
        NETWORK = "network", _("network: connections are delayed, stalled and cut")
        ALL = "all", _("all: servers are killed, too")

    code = models.CharField(_("code"), max_length=8, unique=True, default=new_code)
    source = models.ForeignKey(
        Event, models.SET_NULL, null=True, related_name="+", verbose_name=_("event")
    )
    # The id of the copied event; no foreign key, because the clean-up deletes the event.
    copy = models.BigIntegerField(_("number of the copy"), unique=True)
    options: Any = models.JSONField(_("settings"))
    state = models.CharField(_("result"), max_length=7, choices=State, default=State.RUNNING)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("started by"),
    )
    started_at = models.DateTimeField(_("started"))
    # When the runner last called; after a long silence the rehearsal is cleaned up.
    heard_at = models.DateTimeField(_("last heard"))
    # From here on the API refuses everything but the clean-up and the report.
    ended_at = models.DateTimeField(_("ended"), null=True)
    cleaned_at = models.DateTimeField(_("cleaned up"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    summary: Any = models.JSONField(_("summary"), default=dict)
    left_behind: Any = models.JSONField(_("left behind"), default=dict)
    html = models.TextField(_("report"), blank=True, default="")
    json = models.TextField(_("report as JSON"), blank=True, default="")

    class Meta:
        verbose_name = _("rehearsal")
        verbose_name_plural = _("rehearsals")
        ordering = ["-started_at", "-id"]
        default_permissions = ("add", "view")
        constraints = [
            models.UniqueConstraint(
                models.Value(1),
                condition=models.Q(cleaned_at=None),
                name="one_rehearsal_at_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["running", "passed", "failed", "stopped"]),
                name="a_rehearsal_is_in_a_known_state",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def is_under_way(self) -> bool:
        return self.ended_at is None

    @property
    def domain(self) -> str:
        """The end of its people's mail addresses, in a domain that cannot exist (RFC 2606)."""
        return f"@{self.code}.rehearsal.invalid"
