"""The report on paper: A4, with a typeface that has Korean in it."""

from collections.abc import Sequence
from functools import cache
from html import escape
from io import BytesIO
from typing import Any

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.graphics.shapes import Drawing, Line, PolyLine, String
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import KeepTogether, Paragraph, SimpleDocTemplate, Table

from ticketing.console.reporting import words
from ticketing.console.reporting.charts import HEIGHT, WIDTH, Chart, charts_of
from ticketing.console.reporting.report import Report
from ticketing.core.money import money

FONTS = settings.BASE_DIR / "reservations" / "tickets" / "fonts"
PLAIN, BOLD = "Pretendard", "Pretendard-Bold"
MARGIN = 16 * mm
INNER = A4[0] - 2 * MARGIN
INK, SOFT, HAIR, BAD = (HexColor(c) for c in ("#10201b", "#4b5b54", "#c9d2ce", "#b3261e"))
COLOURS = [HexColor(c) for c in ("#0a5a49", "#b3541e", "#2f5fb3", "#6b3fa0")]
DASHES = [None, [5, 3], [2, 2]]
LEGEND, ABREAST, APART = 18, 4, 145
Cells = Sequence[Sequence[Any]]


def pdf_of(report: Report) -> bytes:
    _load_fonts()
    out, title = BytesIO(), str(report.event)
    paper = SimpleDocTemplate(
        out, pagesize=A4, title=title, leftMargin=MARGIN, rightMargin=MARGIN,
        topMargin=MARGIN, bottomMargin=MARGIN,
    )  # fmt: skip
    story = [
        _words(title, size=18, bold=True),
        _words(_("Report of the sale"), size=11),
        _words(words.subtitle(report), size=9, soft=True),
        *_parts(report),
    ]
    paper.build(story, onFirstPage=_number, onLaterPages=_number)
    return out.getvalue()


def _parts(report: Report) -> list[Any]:
    charts = [KeepTogether([_heading(chart.title), _draw(chart)]) for chart in charts_of(report)]
    return [
        *_fairness(report),
        *_part(_("Funnel"), _funnel(report)),
        *charts[:1],
        *_part(_("How long it took"), _spans(report)),
        *_part(_("How stays in line ended"), _endings(report)),
        *charts[1:],
        *_part(_("Seats by grade"), _grades(report)),
        *_part(_("Refunds"), _refunds(report)),
    ]


def _part(title: str, cells: Cells) -> list[Any]:
    return [KeepTogether([_heading(title), _table(cells)])]


def _fairness(report: Report) -> list[Any]:
    fair = report.fairness
    cells = [[_("What was compared"), _("Result")]]
    cells += [[label, result] for label, result, _holds in words.fairness_rows(fair)]
    verdict = _words(words.verdict(fair), size=11, bold=True, bad=not fair.holds)
    return [KeepTogether([_heading(_("Fairness")), verdict, _table(cells)])]


def _funnel(report: Report) -> Cells:
    head = [_("Step"), _("Number of people"), _("Of all"), _("Of the step before")]
    rows = [[name, f"{n:,}", *shares] for name, n, *shares in words.funnel_rows(report)]
    told = [
        [_("Came to the lobby"), f"{report.reached.lobby:,}", "", ""],
        [_("No-shows: called, never came in"), f"{report.reached.no_shows:,}", "", ""],
        [_("Longest line"), f"{report.course.most_waiting:,}", "", ""],
    ]
    return [head, *rows, *told]


def _spans(report: Report) -> Cells:
    head = ["", *(str(name) for name in words.MEASURES.values())]
    return [
        head,
        *([str(words.SPANS[name]), *words.span_words(span)] for name, span in report.spans.items()),
    ]


def _endings(report: Report) -> Cells:
    head = ["", *(str(name) for name in words.ENDINGS.values())]
    return [head, *([stage, *map("{:,}".format, n)] for stage, n in words.ending_rows(report))]


def _grades(report: Report) -> Cells:
    head = [_("Grade"), _("Seats"), _("Sold"), _("Sold, in per cent"), _("Given back")]
    rows = [
        [g.name, f"{g.seats:,}", f"{g.sold:,}", words.percent(g.share), f"{g.given_back:,}"]
        for g in report.sales.grades
    ]
    sales = report.sales
    everything = [_("All"), f"{sales.seats:,}", f"{sales.sold:,}", words.percent(sales.share)]
    return [head, *rows, [*everything, f"{report.refunds.seats:,}"]]


def _refunds(report: Report) -> Cells:
    refunds = report.refunds
    rows = [
        [_("Orders given back"), f"{refunds.orders:,}"],
        [_("Seats given back"), f"{refunds.seats:,}"],
        [_("Refunds"), f"{refunds.refunds:,}"],
        [_("Refunds on their way"), f"{refunds.on_their_way:,}"],
    ]
    if report.money:
        rows += [[label, money(n, report.event.currency)] for label, n in words.money_rows(report)]
    return [["", ""], *rows]


# -- how it is drawn -------------------------------------------------------------------------------


def _heading(text: str) -> Any:
    return _words(text, size=13, bold=True, above=12)


def _words(
    text: str,
    *,
    size: float = 9,
    bold: bool = False,
    soft: bool = False,
    bad: bool = False,
    above: float = 0,
    right: bool = False,
) -> Any:
    korean = not (get_language() or "").startswith("en")
    style = ParagraphStyle(
        "report",
        fontName=BOLD if bold else PLAIN,
        fontSize=size,
        leading=size * 1.4,
        spaceBefore=above,
        spaceAfter=size / 3,
        alignment=2 if right else 0,
        textColor=BAD if bad else SOFT if soft else INK,
        wordWrap="CJK" if korean else None,
    )
    return Paragraph(escape(text), style)


def _table(cells: Cells) -> Any:
    """The first column says what, the others have numbers; long words break within their cell."""
    across = len(cells[0])
    first = INNER * (0.62 if across == 2 else 0.4 if across < 6 else 0.22)
    widths = [first, *[(INNER - first) / (across - 1)] * (across - 1)]
    size = 9 if across < 6 else 8
    rows = [
        [
            _words(str(cell), size=size, bold=n == 0, right=column > 0)
            for column, cell in enumerate(row)
        ]
        for n, row in enumerate(cells)
        if any(row)
    ]
    lines = [("LINEBELOW", (0, 0), (-1, -1), 0.4, HAIR), ("VALIGN", (0, 0), (-1, -1), "BOTTOM")]
    tight = [(f"{side}PADDING", (0, 0), (-1, -1), 2) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM")]
    return Table(rows, colWidths=widths, style=[*lines, *tight], repeatRows=1)


def _draw(chart: Chart) -> Any:
    """The page's own drawing, scaled to the paper; there y runs upwards, from below the legend."""
    left, _top, right, bottom = chart.box
    scale, foot = INNER / WIDTH, LEGEND * (1 + (len(chart.curves) - 1) // ABREAST)
    drawing = Drawing(INNER, (HEIGHT + foot) * scale)
    drawing.scale(scale, scale)
    for level in chart.levels:
        y = HEIGHT - level.at + foot
        drawing.add(Line(left, y, right, y, strokeColor=HAIR, strokeWidth=0.5))
        drawing.add(_label(level.words, left - 6, y - 3, "end"))
    for mark in chart.times:
        anchor = "start" if mark.at <= left else "end" if mark.at >= right else "middle"
        drawing.add(_label(mark.words, mark.at, HEIGHT - bottom + foot - 14, anchor))
    for n, curve in enumerate(chart.curves):
        flat = [value for x, y in curve.points for value in (x, HEIGHT - y + foot)]
        drawing.add(PolyLine(flat, strokeWidth=1.6, **_stroke(n)))
        _legend(drawing, n, curve.name, left + n % ABREAST * APART, foot)
    return drawing


def _legend(drawing: Any, n: int, name: str, x: float, foot: float) -> None:
    y = foot - LEGEND * (1 + n // ABREAST) + 5
    drawing.add(Line(x, y, x + 18, y, strokeWidth=2, **_stroke(n)))
    drawing.add(_label(name, x + 23, y - 3, "start"))


def _stroke(n: int) -> dict[str, Any]:
    """Four colours; whoever comes after them is dashed."""
    dash = DASHES[n // len(COLOURS) % len(DASHES)]
    return {"strokeColor": COLOURS[n % len(COLOURS)], "strokeDashArray": dash}


def _label(text: str, x: float, y: float, anchor: str) -> Any:
    return String(x, y, text, fontName=PLAIN, fontSize=9, fillColor=SOFT, textAnchor=anchor)


def _number(canvas: Canvas, paper: Any) -> None:
    canvas.setFont(PLAIN, 8)
    canvas.setFillColor(SOFT)
    canvas.drawRightString(A4[0] - MARGIN, MARGIN / 2, str(paper.page))


@cache
def _load_fonts() -> None:
    """Once a process: reading them takes longer than a page."""
    registerFont(TTFont(PLAIN, str(FONTS / "Pretendard-Regular.ttf")))
    registerFont(TTFont(BOLD, str(FONTS / "Pretendard-Bold.ttf")))
