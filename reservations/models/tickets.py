"""Tickets, one for each seat of an order. A new QR code is a new row; the old row is void."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from reservations.models.reservations import Reservation, new_code
from ticketing.core.audit import ChangeRecord
from ticketing.core.states import Lifecycle
from ticketing.events.models import Event, Seat, Section


class Ticket(Lifecycle):
    class State(models.TextChoices):
        VALID = "valid", _("valid")
        USED = "used", _("used")
        REFUNDING = "refunding", _("being refunded")
        VOID = "void", _("void")

    class Reason(models.TextChoices):
        REFUNDED = "refunded", _("refunded")
        CANCELLED = "cancelled", _("cancelled")
        REISSUED = "reissued", _("replaced by a new one")
        RENAMED = "renamed", _("replaced under another name")
        TRANSFERRED = "transferred", _("given to somebody else")

    # REFUNDING lets nobody in while the refund is under way; then VOID, or VALID again if the
    # gateway refuses. USED to VALID: a check-in was undone.
    MOVES = {
        State.VALID: {State.USED, State.REFUNDING, State.VOID},
        State.USED: {State.VALID},
        State.REFUNDING: {State.VALID, State.VOID},
        State.VOID: set(),
    }
    LIVE = (State.VALID, State.USED, State.REFUNDING)

    code = models.CharField(_("code"), max_length=12, unique=True, default=new_code)
    reservation = models.ForeignKey(
        Reservation, models.PROTECT, related_name="tickets", verbose_name=_("reservation")
    )
    event = models.ForeignKey(
        Event, models.PROTECT, related_name="tickets", verbose_name=_("event"), db_index=False
    )
    seat = models.ForeignKey(Seat, models.PROTECT, related_name="tickets", verbose_name=_("seat"))
    holder = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="tickets",
        verbose_name=_("belongs to"),
    )
    name = models.CharField(_("name on the ticket"), max_length=60)
    serial = models.PositiveSmallIntegerField(_("serial number"), default=1)
    # In its standing section; empty while none is given, and for seats.
    entry_number = models.PositiveIntegerField(_("entry number"), null=True, blank=True)
    state = models.CharField(_("status"), max_length=9, choices=State, default=State.VALID)
    reason = models.CharField(_("why void"), max_length=11, choices=Reason, blank=True, default="")
    replaces = models.OneToOneField(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="replaced_by",
        verbose_name=_("replaces"),
    )
    created_at = models.DateTimeField(_("issued"))
    used_at = models.DateTimeField(_("used at"), null=True, blank=True)
    ended_at = models.DateTimeField(_("void since"), null=True, blank=True)
    # Up to which number its section was called; known on the page for the door.
    called_upto: int | None = None

    class Meta:
        verbose_name = _("ticket")
        verbose_name_plural = _("tickets")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat"],
                condition=models.Q(state__in=["valid", "used", "refunding"]),
                name="one_live_ticket_per_seat",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["valid", "used", "refunding", "void"]),
                name="a_ticket_is_in_a_known_state",
            ),
            models.CheckConstraint(
                condition=models.Q(state="used") & models.Q(used_at__isnull=False)
                | ~models.Q(state="used") & models.Q(used_at__isnull=True),
                name="a_used_ticket_was_used_at_some_time",
            ),
        ]
        indexes = [models.Index(fields=["event", "holder"], name="tickets_of_a_person")]

    def __str__(self) -> str:
        return self.code

    @property
    def is_live(self) -> bool:
        return self.state in self.LIVE


class TicketChange(ChangeRecord):
    """Every change of a ticket: when, by whom and why. Never edited."""

    class What(models.TextChoices):
        ISSUED = "issued", _("issued")
        REISSUED = "reissued", _("issued again")
        RENAMED = "renamed", _("renamed")
        OFFERED = "offered", _("offered to somebody")
        WITHDRAWN = "withdrawn", _("offer withdrawn")
        DECLINED = "declined", _("offer declined")
        TRANSFERRED = "transferred", _("given to somebody")
        CHECKED_IN = "checked_in", _("checked in")
        UNDONE = "undone", _("check-in undone")
        SET_ASIDE = "set_aside", _("set aside for a refund")
        GIVEN_BACK = "given_back", _("valid again after a refused refund")
        VOIDED = "voided", _("made void")

    ticket = models.ForeignKey(
        Ticket, models.PROTECT, related_name="changes", verbose_name=_("ticket")
    )
    what = models.CharField(_("what"), max_length=11, choices=What)
    before = models.CharField(_("before"), max_length=254, blank=True)
    after = models.CharField(_("after"), max_length=254, blank=True)

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of a ticket")
        verbose_name_plural = _("changes of tickets")
        indexes = [models.Index(fields=["-at", "-id"], name="changes_of_tickets_by_time")]


class TransferOffer(Lifecycle):
    """An offer to transfer a ticket. It stays its holder's, and valid, until it is accepted."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        WITHDRAWN = "withdrawn", _("withdrawn")

    MOVES = {
        State.OPEN: {State.ACCEPTED, State.DECLINED, State.WITHDRAWN},
        State.ACCEPTED: set(),
        State.DECLINED: set(),
        State.WITHDRAWN: set(),
    }

    code = models.CharField(_("code"), max_length=12, unique=True, default=new_code)
    ticket = models.ForeignKey(
        Ticket, models.PROTECT, related_name="offers", verbose_name=_("ticket")
    )
    # Normalised by `UserManager.normalize_email`; the receiver need not have an account yet.
    email = models.EmailField(_("offered to"), db_index=True)
    # The giver's language, used in the mails to both.
    language = models.CharField(
        max_length=10, blank=True, default="", db_default="", editable=False
    )
    state = models.CharField(_("status"), max_length=9, choices=State, default=State.OPEN)
    created_at = models.DateTimeField(_("created"))
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("offer of a ticket")
        verbose_name_plural = _("offers of tickets")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["ticket"],
                condition=models.Q(state="open"),
                name="one_open_offer_per_ticket",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "accepted", "declined", "withdrawn"]),
                name="an_offer_is_in_a_known_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ticket} → {self.email}"


class EntryCall(models.Model):
    """Up to which entry number a standing section may come in. Without a row, everybody may."""

    event = models.ForeignKey(
        Event, models.CASCADE, related_name="+", verbose_name=_("event"), db_index=False
    )
    section = models.ForeignKey(
        Section, models.CASCADE, related_name="+", verbose_name=_("section")
    )
    upto = models.PositiveIntegerField(_("called up to"))
    at = models.DateTimeField(_("when"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("who")
    )

    class Meta:
        verbose_name = _("call of entry numbers")
        verbose_name_plural = _("calls of entry numbers")
        ordering = ["event_id", "section_id"]
        constraints = [
            models.UniqueConstraint(fields=["event", "section"], name="one_call_per_section")
        ]

    def __str__(self) -> str:
        return f"{self.section}: {self.upto}"


class CheckIn(models.Model):
    """The answer that a door got for a code. A repeat with the same key gets the same one."""

    class Answer(models.TextChoices):
        VALID = "valid", _("valid")
        USED = "used", _("already used")
        WRONG_EVENT = "wrong_event", _("for another event")
        VOID = "void", _("cancelled")
        UNKNOWN = "unknown", _("not a ticket")
        NOT_YET = "not_yet", _("too early")

    # Chosen by the client, so that a repeated scan counts once.
    key = models.UUIDField(unique=True, editable=False)
    event = models.ForeignKey(Event, models.PROTECT, related_name="+", verbose_name=_("event"))
    ticket = models.ForeignKey(
        Ticket, models.PROTECT, null=True, related_name="check_ins", verbose_name=_("ticket")
    )
    answer = models.CharField(_("answer"), max_length=11, choices=Answer)
    # `earlier`: when a used ticket was used. `reason`: why a void one is void, or one is too early.
    earlier = models.DateTimeField(_("used before at"), null=True)
    reason = models.CharField(_("why void"), max_length=11, blank=True, default="")
    at = models.DateTimeField(_("when"))
    scanned_at = models.DateTimeField(_("scanned at"))
    offline = models.BooleanField(
        _("without network"),
        default=False,
        help_text=_("The door decided first, and told us later."),
    )
    door = models.CharField(_("door"), max_length=40, blank=True, default="")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("who")
    )
    undone_at = models.DateTimeField(_("undone at"), null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        verbose_name=_("undone by"),
    )

    class Meta:
        verbose_name = _("check-in")
        verbose_name_plural = _("check-ins")
        ordering = ["-id"]
        permissions = [("check_in", "Can check tickets in at the door")]
        constraints = [
            models.UniqueConstraint(
                fields=["ticket"],
                condition=models.Q(answer="valid", undone_at__isnull=True),
                name="one_use_per_ticket",
            )
        ]
        indexes = [models.Index(fields=["event", "at"], name="check_ins_of_an_event")]

    def __str__(self) -> str:
        return f"{self.ticket or '?'}: {self.answer}"

    @property
    def is_conflict(self) -> bool:
        """Whether somebody was let in offline who would have been refused."""
        return self.offline and self.answer != self.Answer.VALID
