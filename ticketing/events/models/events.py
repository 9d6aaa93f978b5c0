"""Events and their organisers."""

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from ticketing.core.translated import Translated
from ticketing.events.models.venues import SeatPlan

# Rehearsals have random ids from a range of their own, so that nobody finds one by counting up.
# JavaScript still represents these numbers exactly.
FIRST_REHEARSAL_ID, LAST_REHEARSAL_ID = 10**14, 9 * 10**15
# The ids after that of a rehearsal's event, up to the next multiple, are those of its people.
REHEARSAL_IDS = 10**6


class Organiser(models.Model):
    name_ko = models.CharField(_("name in Korean"), max_length=120)
    name_en = models.CharField(_("name in English"), max_length=120)
    email = models.EmailField(_("e-mail"), blank=True)
    phone = models.CharField(_("phone"), max_length=30, blank=True)

    name = Translated()

    class Meta:
        verbose_name = _("organiser")
        verbose_name_plural = _("organisers")
        ordering = ["name_ko", "id"]

    def __str__(self) -> str:
        return self.name


class Event(Lifecycle):
    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        ANNOUNCED = "announced", _("announced")
        ON_SALE = "on_sale", _("on sale")
        PAUSED = "paused", _("paused")
        SOLD_OUT = "sold_out", _("sold out")
        CLOSED = "closed", _("closed")
        CANCELLED = "cancelled", _("cancelled")

    class Returns(models.TextChoices):
        """Where seats go that come back after the sale was sold out."""

        AT_ONCE = "at_once", _("on sale at once")
        STANDBY = "standby", _("offered in order of the standby list")
        ANNOUNCED = "announced", _("on sale at an announced time")
        JITTERED = "jittered", _("on sale after a random delay")

    class IdentityLevel(models.TextChoices):
        """What the site has to know about whoever joins the line, buys or goes on standby."""

        NONE = "none", _("nothing: any account")
        EMAIL = "email", _("a confirmed e-mail address")
        IDENTITY = "identity", _("a verified identity (phone)")

    class EntryNumbers(models.TextChoices):
        """In which order people come into standing sections."""

        NONE = "none", _("no numbers")
        SALE = "sale", _("in the order of sale")
        DRAWN = "drawn", _("drawn after the sale")

    MOVES = {
        State.DRAFT: {State.ANNOUNCED, State.CANCELLED},
        State.ANNOUNCED: {State.DRAFT, State.ON_SALE, State.CLOSED, State.CANCELLED},
        State.ON_SALE: {State.PAUSED, State.SOLD_OUT, State.CLOSED, State.CANCELLED},
        State.PAUSED: {State.ON_SALE, State.CLOSED, State.CANCELLED},
        State.SOLD_OUT: {State.ON_SALE, State.CLOSED, State.CANCELLED},
        State.CLOSED: {State.ON_SALE, State.CANCELLED},
        State.CANCELLED: set(),
    }

    title_ko = models.CharField(_("title in Korean"), max_length=120)
    title_en = models.CharField(_("title in English"), max_length=120)
    description_ko = models.TextField(_("description in Korean"), blank=True)
    description_en = models.TextField(_("description in English"), blank=True)
    cast_ko = models.TextField(_("cast in Korean"), blank=True, default="", db_default="")
    cast_en = models.TextField(_("cast in English"), blank=True, default="", db_default="")
    notices_ko = models.TextField(_("notices in Korean"), blank=True, default="", db_default="")
    notices_en = models.TextField(
        _("notices in English"),
        blank=True,
        default="",
        db_default="",
        help_text=_("What people must know before they buy."),
    )
    running_minutes = models.PositiveSmallIntegerField(
        _("running time"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("Minutes, with the interval."),
    )
    admission_age = models.PositiveSmallIntegerField(
        _("age limit"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(99)],
        help_text=_("Shown on the event's page, and not checked when tickets are bought."),
    )
    organiser = models.ForeignKey(
        Organiser, models.PROTECT, related_name="events", verbose_name=_("organiser")
    )
    plan = models.ForeignKey(
        SeatPlan, models.PROTECT, related_name="events", verbose_name=_("seat plan")
    )
    state = models.CharField(
        _("status"), max_length=10, choices=State, default=State.DRAFT, editable=False
    )
    on_sale_at = models.DateTimeField(_("on sale from"))
    doors_at = models.DateTimeField(_("doors open"))
    starts_at = models.DateTimeField(_("starts"))
    ends_at = models.DateTimeField(_("ends"), null=True, blank=True)
    currency = models.CharField(
        _("currency"),
        max_length=3,
        default="KRW",
        validators=[RegexValidator(r"^[A-Z]{3}$", _("Three capital letters, such as KRW."))],
    )
    poster = models.ImageField(_("poster"), upload_to="posters/", blank=True)
    seats_per_person = models.PositiveSmallIntegerField(
        _("seats per person"),
        default=4,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("Held and bought together, across all orders of one person."),
    )
    hold_seconds = models.PositiveIntegerField(
        _("time to decide"),
        default=300,
        validators=[MinValueValidator(10), MaxValueValidator(86_400)],
        help_text=_("Seconds that chosen seats are kept before payment starts."),
    )
    payment_seconds = models.PositiveIntegerField(
        _("time to pay"),
        default=600,
        validators=[MinValueValidator(10), MaxValueValidator(86_400)],
        help_text=_("Seconds that chosen seats are kept once payment starts."),
    )
    no_orphans = models.BooleanField(
        _("no single seats left over"),
        default=False,
        help_text=_("Refuse a choice that leaves one empty seat alone between others."),
    )
    rename_hours = models.PositiveSmallIntegerField(
        _("names can be changed until"),
        default=24,
        null=True,
        blank=True,
        help_text=_("Hours before the start. Empty: never."),
    )
    transfer_hours = models.PositiveSmallIntegerField(
        _("tickets can be given away until"),
        default=24,
        null=True,
        blank=True,
        help_text=_("Hours before the start. Empty: never."),
    )
    mails_tickets = models.BooleanField(
        _("tickets in the mail"),
        default=True,
        help_text=_("Attach the tickets as PDF; otherwise the mail links to them."),
    )
    entry_numbers = models.CharField(
        _("entry numbers"),
        max_length=5,
        choices=EntryNumbers,
        default=EntryNumbers.NONE,
        db_default=EntryNumbers.NONE,
        help_text=_(
            "For standing sections. Drawn when the sale is closed, or a day before the doors open."
        ),
    )
    returns = models.CharField(
        _("seats that come back"),
        max_length=9,
        choices=Returns,
        default=Returns.STANDBY,
        help_text=_("Given back, unpaid or refunded once the sale was sold out."),
    )
    returns_at = models.DateTimeField(
        _("announced time"),
        null=True,
        blank=True,
        help_text=_("When seats that came back go on sale; the pages say so."),
    )
    returns_minutes = models.PositiveSmallIntegerField(
        _("longest delay"),
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(1440)],
        help_text=_("Minutes; each seat waits for a random part of them."),
    )
    offer_seconds = models.PositiveIntegerField(
        _("time for an offer"),
        default=900,
        validators=[MinValueValidator(60), MaxValueValidator(86_400)],
        help_text=_("Seconds that seats are kept for the next on the standby list."),
    )
    identity_level = models.CharField(
        _("people have to show"),
        max_length=8,
        choices=IdentityLevel,
        default=IdentityLevel.EMAIL,
        db_default=IdentityLevel.EMAIL,
        help_text=_("With a verified identity each person has one place and one limit."),
    )
    minimum_age = models.PositiveSmallIntegerField(
        _("from the age of"),
        default=0,
        db_default=0,
        validators=[MaxValueValidator(99)],
        help_text=_("Reached in the year of the event; takes a verified identity. 0: any age."),
    )
    without_line = models.BooleanField(
        _("sold without a line"),
        default=False,
        db_default=False,
        help_text=_("Everybody can buy at once. An event with a queue ignores this."),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    rehearsal_of = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="rehearsals",
        verbose_name=_("rehearsal of"),
    )

    title = Translated()
    description = Translated()
    cast = Translated()
    notices = Translated()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["starts_at", "id"]
        indexes = [models.Index(fields=["state", "on_sale_at"], name="events_due_for_sale")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(doors_at__lte=models.F("starts_at")),
                name="doors_open_before_the_start",
                violation_error_message=_("Doors open before the event starts."),
            ),
            models.CheckConstraint(
                condition=models.Q(on_sale_at__lt=models.F("starts_at")),
                name="on_sale_before_the_start",
                violation_error_message=_("The sale opens before the event starts."),
            ),
            models.CheckConstraint(
                condition=models.Q(ends_at=None) | models.Q(ends_at__gt=models.F("starts_at")),
                name="ends_after_the_start",
                violation_error_message=_("The event ends after it starts."),
            ),
            models.CheckConstraint(
                condition=~models.Q(returns="announced") | models.Q(returns_at__isnull=False),
                name="an_announced_return_has_a_time",
                violation_error_message=_("Say when seats that came back go on sale."),
            ),
            models.CheckConstraint(
                condition=models.Q(minimum_age=0) | models.Q(identity_level="identity"),
                name="an_age_takes_an_identity",
                violation_error_message=_("An age limit takes a verified identity."),
            ),
            models.CheckConstraint(
                condition=models.Q(rehearsal_of=None, id__lt=FIRST_REHEARSAL_ID)
                | models.Q(rehearsal_of__isnull=False, id__gte=FIRST_REHEARSAL_ID),
                name="rehearsals_have_numbers_of_their_own",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_rehearsal(self) -> bool:
        return self.rehearsal_of_id is not None

    def get_absolute_url(self) -> str:
        return reverse("ticketing:event", args=[self.pk])
