"""A person's data as an A4 PDF to read, with an embedded Korean typeface."""

from html import escape
from io import BytesIO
from threading import Lock
from typing import Any

from django.conf import settings
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer

FONTS = settings.BASE_DIR / "reservations" / "tickets" / "fonts"
PLAIN, BOLD = "Pretendard", "Pretendard-Bold"
INK = HexColor("#10201b")
# The JSON file has everything; a PDF of a long journal would help nobody.
MOST_ROWS = 500
# A font of this library reads at a position that all threads would move.
_fonts_in_use = Lock()


def render_pdf(data: dict[str, list[dict[str, Any]]], *, whose: str) -> bytes:
    with _fonts_in_use:
        for name in (PLAIN, BOLD):
            file = FONTS / f"{name if '-' in name else name + '-Regular'}.ttf"
            registerFont(TTFont(name, str(file)))
        out = BytesIO()
        title = _("Your personal data")
        document = SimpleDocTemplate(
            *(out,), pagesize=A4, title=title, lang=get_language() or "", leftMargin=16 * mm
        )
        document.build([_text(title, 18, bold=True), _text(whose, 11), *_sections(data)])
        return out.getvalue()


def _sections(data: dict[str, list[dict[str, Any]]]) -> list[Any]:
    parts: list[Any] = []
    for kind, rows in data.items():
        parts += [Spacer(1, 5 * mm), _text(f"{section_label(kind)} ({len(rows)})", 13, bold=True)]
        parts += [_text(_row(row), 9) for row in rows[:MOST_ROWS]]
        if len(rows) > MOST_ROWS:
            parts.append(_text(_("The rest is in the JSON file."), 9))
    return parts


def _row(row: dict[str, Any]) -> str:
    shown = ((name.replace("__", " ").replace("_", " "), row[name]) for name in row)
    return " · ".join(f"{name}: {_value(it)}" for name, it in shown if it not in (None, ""))


def _value(value: Any) -> str:
    return f"{localtime(value):%Y-%m-%d %H:%M:%S}" if hasattr(value, "tzinfo") else str(value)


def section_label(kind: str) -> str:
    labels = {
        "account": _("Your account"),
        "identity": _("Verified identity"),
        "consents": _("Consents"),
        "sessions": _("Where you are logged in"),
        "passkeys": _("Passkeys"),
        "api_tokens": _("API tokens"),
        "security_log": _("Security log"),
        "reservations": _("Reservations"),
        "payments": _("Payments"),
        "refunds": _("Refunds"),
        "tickets": _("Tickets"),
        "offers_of_tickets": _("Offers of tickets"),
        "queue": _("Waiting lines"),
        "lanes": _("Lanes"),
        "bypasses": _("Entry without waiting"),
        "signals": _("What you joined lines with"),
        "appeals": _("Appeals"),
        "standby": _("Standby lists"),
        "requests_for_seats": _("Requests for seats"),
    }
    return labels[kind]


def _text(text: str, size: float, *, bold: bool = False) -> Paragraph:
    style = ParagraphStyle(
        "line",
        fontName=BOLD if bold else PLAIN,
        fontSize=size,
        leading=size * 1.45,
        textColor=INK,
        wordWrap="CJK",
        spaceAfter=2,
    )
    return Paragraph(escape(text), style)
