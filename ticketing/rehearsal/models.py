"""A rehearsal: what was rehearsed, by whom, how it is going and what it showed."""

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from ticketing.events.models import Event

# Without letters that are taken for each other, or make words; small, as in addresses.
LETTERS = "bcdfghjkmnpqrstvwxz"
CODE_LENGTH = 8


def new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


class Rehearsal(Lifecycle):
    """The copy of the event and its people go with the clean-up; this row and the report stay."""

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
        ALL = "all", _("all: servers are killed, too")

    code = models.CharField(_("code"), max_length=8, unique=True, default=new_code)
    source = models.ForeignKey(
        Event, models.SET_NULL, null=True, related_name="+", verbose_name=_("event")
    )
    # The number of the event's copy; there is no such event any more once it is cleaned up.
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
    # When whoever runs it was last heard; after a long silence it is cleaned up by itself.
    heard_at = models.DateTimeField(_("last heard"))
    # From here on nothing more is done in it.
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
        """Where its people have their addresses: nowhere (RFC 2606)."""
        return f"@{self.code}.rehearsal.invalid"
