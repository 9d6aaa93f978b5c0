"""The journal: what happened to each person in a line."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ticketing.events.models import Event


class QueueJournal(models.Model):
    """One event in the life of a person in a line, copied from the Redis stream in batches."""

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
        DEMOTED = "demoted", _("was moved to the end of the line")
        RESTORED = "restored", _("got the old place back")
        BYPASS = "bypass", _("may enter without waiting")
        COMPANION = "companion", _("waits with the leader of a party")
        LEAD = "lead", _("leads the party from now on")

    event = models.ForeignKey(Event, models.CASCADE, related_name="+", verbose_name=_("event"))
    entry = models.CharField(max_length=40)
    at = models.DateTimeField(_("when"))
    person = models.BigIntegerField(_("person"))
    kind = models.CharField(_("what"), max_length=9, choices=Kind)
    number = models.BigIntegerField(_("number"))
    # The leader of the party that the person waits or was called with.
    leader = models.BigIntegerField(_("leader of the party"), null=True)

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
