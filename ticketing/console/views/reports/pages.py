"""The report of a sale, during and after it: as a page, CSV and PDF."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ticketing.console.selectors import queue_of
from ticketing.console.selectors.report import SaleReport, sale_report
from ticketing.console.services.roles import WATCH
from ticketing.console.views.access import render_page, requires_permission
from ticketing.console.views.reports import labels
from ticketing.console.views.reports.charts import report_charts
from ticketing.console.views.reports.report_csv import render_csv
from ticketing.core import clock
from ticketing.core.admin.pages import operator

VIEW_MONEY = "payments.view_payment"


@requires_permission(WATCH)
def report(request: HttpRequest, event_id: int) -> HttpResponse:
    report = _report(request, event_id)
    durations = [
        (labels.DURATIONS[name], labels.duration_cells(stats))
        for name, stats in report.durations.items()
    ]
    return render_page(
        request,
        "report",
        _("%(event)s: report") % {"event": report.event},
        event=report.event,
        report=report,
        labels=labels,
        charts=report_charts(report),
        funnel=labels.funnel_rows(report),
        durations=durations,
        outcomes=labels.outcome_rows(report),
        fairness=labels.fairness_rows(report.fairness),
        verdict=labels.verdict(report.fairness),
        money=labels.money_rows(report),
        status=labels.subtitle(report),
    )


@requires_permission(WATCH)
def report_csv(request: HttpRequest, event_id: int) -> HttpResponse:
    text = render_csv(_report(request, event_id))
    return _file(text.encode(), "text/csv; charset=utf-8", f"report-{event_id}.csv")


@requires_permission(WATCH)
def report_pdf(request: HttpRequest, event_id: int) -> HttpResponse:
    # reportlab takes a second to import.
    from ticketing.console.views.reports.report_pdf import render_pdf

    body = render_pdf(_report(request, event_id))
    return _file(body, "application/pdf", f"report-{event_id}.pdf")


def _report(request: HttpRequest, event_id: int) -> SaleReport:
    with_money = operator(request).has_perm(VIEW_MONEY)
    return sale_report(queue_of(event_id), with_money=with_money, now=clock.now())


def _file(body: bytes, content_type: str, name: str) -> HttpResponse:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body, content_type=content_type, headers=headers)
