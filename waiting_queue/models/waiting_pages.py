"""What an event's own waiting page says and looks like: a draft, and what was published of it."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, RegexValidator, URLValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.colours import HEX
from waiting_queue.models.page_colours import COLOURS, colour_problems
from waiting_queue.models.queues import SaleQueue, one_plain_line

TEXT_MAX_LENGTH, HINT_MAX_LENGTH = 1_000, 300
MAX_LINKS, MAX_HINTS = 6, 8
BILINGUAL = ("headline", "text", "picture_text")
SWITCHES = ("show_venue", "show_prices", "show_rules", "show_seats")
is_colour = RegexValidator(HEX, _("A colour such as #3355dd."))
is_web_address = URLValidator(
    schemes=["http", "https"], message=_("An address that begins with https:// or http://.")
)


def no_credentials(url: str) -> None:
    """Refuse addresses such as https://known.example@other.example, which mislead readers."""
    if "@" in urlsplit(url).netloc:
        raise ValidationError(_("An address without a user name."), code="credentials")


def _line(label: Any, length: int, **options: Any) -> models.CharField:
    return models.CharField(label, max_length=length, validators=[one_plain_line], **options)


def _text(label: Any, length: int, **options: Any) -> models.TextField:
    return models.TextField(label, validators=[MaxLengthValidator(length)], **options)


def _colour(label: Any, help_text: Any) -> models.CharField:
    return models.CharField(
        label, max_length=7, blank=True, validators=[is_colour], help_text=help_text
    )


ACCENT_HELP = _("Of links, buttons and the bar; such as #3355dd. Empty: the site's.")
GROUND_HELP = _("Behind everything; such as #f5f0ff. Empty: the site's.")


class WaitingPage(models.Model):
    """The fields are the draft; the public sees `published`, a copy of it, and nothing else."""

    queue = models.OneToOneField(
        SaleQueue, models.CASCADE, related_name="page", verbose_name=_("queue"), primary_key=True
    )
    headline_ko = _line(_("headline in Korean"), 120, blank=True)
    headline_en = _line(_("headline in English"), 120, blank=True)
    text_ko = _text(_("text in Korean"), TEXT_MAX_LENGTH, blank=True)
    text_en = _text(_("text in English"), TEXT_MAX_LENGTH, blank=True)
    picture = models.ImageField(_("picture"), upload_to="waiting/", blank=True)
    picture_text_ko = _line(_("description of the picture in Korean"), 200, blank=True)
    picture_text_en = _line(_("description of the picture in English"), 200, blank=True)
    accent_light = _colour(_("accent, light"), ACCENT_HELP)
    accent_dark = _colour(_("accent, dark"), ACCENT_HELP)
    background_light = _colour(_("background, light"), GROUND_HELP)
    background_dark = _colour(_("background, dark"), GROUND_HELP)
    show_venue = models.BooleanField(_("show the venue"), default=True)
    show_prices = models.BooleanField(_("show the prices"), default=True)
    show_rules = models.BooleanField(_("show the rules of the sale"), default=True)
    show_seats = models.BooleanField(_("show the way to the seat map"), default=True)
    published = models.JSONField(_("published"), null=True, editable=False)
    published_at = models.DateTimeField(_("published on"), null=True, editable=False)

    class Meta:
        verbose_name = _("waiting page")
        verbose_name_plural = _("waiting pages")

    def __str__(self) -> str:
        return str(self.queue)

    def clean(self) -> None:
        """Refuse a text in one language only, and colours that nobody could read."""
        problems: dict[str, Any] = {}
        for name in BILINGUAL:
            written = {code: getattr(self, f"{name}_{code}") for code in ("ko", "en")}
            if any(written.values()) and not all(written.values()):
                missing = "ko" if not written["ko"] else "en"
                problems[f"{name}_{missing}"] = _("Write it in both languages, or in neither.")
        problems |= colour_problems({name: getattr(self, name) for name in COLOURS})
        if problems:
            raise ValidationError(problems)

    def content(self) -> dict[str, Any]:
        """Return the draft as it would be published."""
        names = [f"{name}_{code}" for name in BILINGUAL for code in ("ko", "en")]
        return {
            **{name: getattr(self, name) for name in (*names, *COLOURS, *SWITCHES)},
            "picture": self.picture.name or "",
            "links": list(self.links.values("label_ko", "label_en", "url")),
            "hints": list(self.hints.values("title_ko", "title_en", "text_ko", "text_en")),
        }

    @property
    def is_published_as_it_is(self) -> bool:
        return self.published == self.content()


class WaitingPageLink(models.Model):
    page = models.ForeignKey(WaitingPage, models.CASCADE, related_name="links")
    label_ko = _line(_("label in Korean"), 60)
    label_en = _line(_("label in English"), 60)
    url = models.CharField(
        _("address"), max_length=300, validators=[is_web_address, no_credentials]
    )
    order = models.PositiveSmallIntegerField(_("order"), default=0)

    class Meta:
        verbose_name = _("link")
        verbose_name_plural = _("links")
        ordering = ["order", "id"]
        default_permissions = ()  # whoever may change the page may change its parts

    def __str__(self) -> str:
        return self.label_ko


class WaitingPageHint(models.Model):
    page = models.ForeignKey(WaitingPage, models.CASCADE, related_name="hints")
    title_ko = _line(_("title in Korean"), 60)
    title_en = _line(_("title in English"), 60)
    text_ko = _text(_("text in Korean"), HINT_MAX_LENGTH)
    text_en = _text(_("text in English"), HINT_MAX_LENGTH)
    order = models.PositiveSmallIntegerField(_("order"), default=0)

    class Meta:
        verbose_name = _("hint")
        verbose_name_plural = _("hints")
        ordering = ["order", "id"]
        default_permissions = ()

    def __str__(self) -> str:
        return self.title_ko
