"""The report as an A4 PDF, with an embedded Korean typeface."""

from collections.abc import Sequence
from functools import cache
from html import escape
from io import BytesIO
from threading import Lock
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

from ticketing.console.selectors.report import SaleReport
from ticketing.console.views.reports import labels
from ticketing.console.views.reports.charts import HEIGHT, WIDTH, Chart, report_charts
from ticketing.core.money import money

FONTS = settings.BASE_DIR / "reservations" / "tickets" / "fonts"
PLAIN, BOLD = "Pretendard", "Pretendard-Bold"
MARGIN = 16 * mm
INNER = A4[0] - 2 * MARGIN
INK, MUTED, LINE, BAD = (HexColor(c) for c in ("#10201b", "#4b5b54", "#c9d2ce", "#b3261e"))
COLOURS = [HexColor(c) for c in ("#0a5a49", "#b3541e", "#2f5fb3", "#6b3fa0")]
DASHES = [None, [5, 3], [2, 2]]
LEGEND_ROW, LEGENDS_PER_ROW, LEGEND_WIDTH = 18, 4, 145
Cells = Sequence[Sequence[Any]]
# A font of this library reads at a position that all threads would move.
_fonts_in_use = Lock()


def render_pdf(report: SaleReport) -> bytes:
    with _fonts_in_use:
        return _render(report)


def _render(report: SaleReport) -> bytes:
    _load_fonts()
    out, title = BytesIO(), str(report.event)
    document = SimpleDocTemplate(
        out, pagesize=A4, title=title, leftMargin=MARGIN, rightMargin=MARGIN,
        topMargin=MARGIN, bottomMargin=MARGIN,
    )  # fmt: skip
    content = [
        _text(title, size=18, bold=True),
        _text(_("Report of the sale"), size=11),
        _text(labels.subtitle(report), size=9, muted=True),
        *_parts(report),
    ]
    document.build(content, onFirstPage=_page_number, onLaterPages=_page_number)
    return out.getvalue()


def _parts(report: SaleReport) -> list[Any]:
    charts = [
        KeepTogether([_heading(chart.title), _draw(chart)]) for chart in report_charts(report)
    ]
    return [
        *_fairness(report),
        *_part(_("Funnel"), _funnel(report)),
        *charts[:1],
        *_part(_("How long it took"), _durations(report)),
        *_part(_("Outcome of queue visits"), _outcomes(report)),
        *charts[1:],
        *_part(_("Seats by grade"), _grades(report)),
        *_part(_("Refunds"), _refunds(report)),
    ]


def _part(title: str, cells: Cells) -> list[Any]:
    return [KeepTogether([_heading(title), _table(cells)])]


def _fairness(report: SaleReport) -> list[Any]:
    fair = report.fairness
    cells = [[_("What was compared"), _("Result")]]
    cells += [[label, result] for label, result, _is_good in labels.fairness_rows(fair)]
    verdict = _text(labels.verdict(fair), size=11, bold=True, bad=not fair.is_fair)
    return [KeepTogether([_heading(_("Fairness")), verdict, _table(cells)])]


def _funnel(report: SaleReport) -> Cells:
    head = [_("Step"), _("Number of people"), _("Of all"), _("Of the step before")]
    rows = [[name, f"{n:,}", *shares] for name, n, *shares in labels.funnel_rows(report)]
    totals = [
        [_("Came to the lobby"), f"{report.funnel_counts.lobby:,}", "", ""],
        [_("No-shows: called, never came in"), f"{report.funnel_counts.no_shows:,}", "", ""],
        [_("Longest line"), f"{report.queue_sizes.max_waiting:,}", "", ""],
    ]
    return [head, *rows, *totals]


def _durations(report: SaleReport) -> Cells:
    head = ["", *(str(name) for name in labels.MEASURES.values())]
    return [
        head,
        *(
            [str(labels.DURATIONS[name]), *labels.duration_cells(stats)]
            for name, stats in report.durations.items()
        ),
    ]


def _outcomes(report: SaleReport) -> Cells:
    head = ["", *(str(name) for name in labels.OUTCOMES.values())]
    return [head, *([stage, *map("{:,}".format, n)] for stage, n in labels.outcome_rows(report))]


def _grades(report: SaleReport) -> Cells:
    head = [_("Grade"), _("Seats"), _("Sold"), _("Sold, in per cent"), _("Given back")]
    rows = [
        [g.name, f"{g.seats:,}", f"{g.sold:,}", labels.percent(g.share), f"{g.given_back:,}"]
        for g in report.sales.grades
    ]
    sales = report.sales
    everything = [_("All"), f"{sales.seats:,}", f"{sales.sold:,}", labels.percent(sales.share)]
    return [head, *rows, [*everything, f"{report.refunds.seats:,}"]]


def _refunds(report: SaleReport) -> Cells:
    refunds = report.refunds
    rows = [
        [_("Cancelled orders"), f"{refunds.orders:,}"],
        [_("Seats given back"), f"{refunds.seats:,}"],
        [_("Refunds"), f"{refunds.refunds:,}"],
        [_("Refunds in progress"), f"{refunds.on_their_way:,}"],
    ]
    if report.revenue:
        rows += [[label, money(n, report.event.currency)] for label, n in labels.money_rows(report)]
    return [["", ""], *rows]


# -- drawing ---------------------------------------------------------------------------------------


def _heading(text: str) -> Any:
    return _text(text, size=13, bold=True, above=12)


def _text(
    text: str,
    *,
    size: float = 9,
    bold: bool = False,
    muted: bool = False,
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
        textColor=BAD if bad else MUTED if muted else INK,
        wordWrap="CJK" if korean else None,
    )
    return Paragraph(escape(text), style)


def _table(cells: Cells) -> Any:
    """The first column has labels, the others numbers; long text wraps within its cell."""
    columns = len(cells[0])
    first = INNER * (0.62 if columns == 2 else 0.4 if columns < 6 else 0.22)
    widths = [first, *[(INNER - first) / (columns - 1)] * (columns - 1)]
    size = 9 if columns < 6 else 8
    rows = [
        [
            _text(str(cell), size=size, bold=n == 0, right=column > 0)
            for column, cell in enumerate(row)
        ]
        for n, row in enumerate(cells)
        if any(row)
    ]
    lines = [("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE), ("VALIGN", (0, 0), (-1, -1), "BOTTOM")]
    tight = [(f"{side}PADDING", (0, 0), (-1, -1), 2) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM")]
    return Table(rows, colWidths=widths, style=[*lines, *tight], repeatRows=1)


def _draw(chart: Chart) -> Any:
    """The same chart as on the page, scaled; in a PDF y runs upwards, from below the legend."""
    left, _top, right, bottom = chart.box
    scale, foot = INNER / WIDTH, LEGEND_ROW * (1 + (len(chart.curves) - 1) // LEGENDS_PER_ROW)
    drawing = Drawing(INNER, (HEIGHT + foot) * scale)
    drawing.scale(scale, scale)
    for level in chart.levels:
        y = HEIGHT - level.at + foot
        drawing.add(Line(left, y, right, y, strokeColor=LINE, strokeWidth=0.5))
        drawing.add(_chart_text(level.label, left - 6, y - 3, "end"))
    for mark in chart.times:
        anchor = "start" if mark.at <= left else "end" if mark.at >= right else "middle"
        drawing.add(_chart_text(mark.label, mark.at, HEIGHT - bottom + foot - 14, anchor))
    for n, curve in enumerate(chart.curves):
        flat = [value for x, y in curve.points for value in (x, HEIGHT - y + foot)]
        drawing.add(PolyLine(flat, strokeWidth=1.6, **_stroke(n)))
        _legend(drawing, n, curve.name, left + n % LEGENDS_PER_ROW * LEGEND_WIDTH, foot)
    return drawing


def _legend(drawing: Any, n: int, name: str, x: float, foot: float) -> None:
    y = foot - LEGEND_ROW * (1 + n // LEGENDS_PER_ROW) + 5
    drawing.add(Line(x, y, x + 18, y, strokeWidth=2, **_stroke(n)))
    drawing.add(_chart_text(name, x + 23, y - 3, "start"))


def _stroke(n: int) -> dict[str, Any]:
    """Four colours; further curves repeat them with dashes."""
    dash = DASHES[n // len(COLOURS) % len(DASHES)]
    return {"strokeColor": COLOURS[n % len(COLOURS)], "strokeDashArray": dash}


def _chart_text(text: str, x: float, y: float, anchor: str) -> Any:
    return String(x, y, text, fontName=PLAIN, fontSize=9, fillColor=MUTED, textAnchor=anchor)


def _page_number(canvas: Canvas, document: Any) -> None:
    canvas.setFont(PLAIN, 8)
    canvas.setFillColor(MUTED)
    canvas.drawRightString(A4[0] - MARGIN, MARGIN / 2, str(document.page))


@cache
def _load_fonts() -> None:
    """Register the fonts once per process: reading them takes longer than drawing a page."""
    registerFont(TTFont(PLAIN, str(FONTS / "Pretendard-Regular.ttf")))
    registerFont(TTFont(BOLD, str(FONTS / "Pretendard-Bold.ttf")))
