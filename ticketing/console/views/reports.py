"""The report of a sale, during it and after it: a page, a table file, and on paper."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ticketing.console import reporting
from ticketing.console.access import for_those_who, page, queue_of
from ticketing.console.reporting import Report, words
from ticketing.console.roles import WATCH
from ticketing.core import clock
from ticketing.core.admin.pages import operator

SEES_MONEY = "payments.view_payment"


@for_those_who(WATCH)
def report(request: HttpRequest, event_id: int) -> HttpResponse:
    made = _report(request, event_id)
    title = _("%(event)s: report") % {"event": made.event}
    return page(
        request,
        "report",
        title,
        event=made.event,
        report=made,
        words=words,
        charts=reporting.charts_of(made),
        funnel=words.funnel_rows(made),
        spans=[(words.SPANS[name], words.span_words(span)) for name, span in made.spans.items()],
        endings=words.ending_rows(made),
        fairness=words.fairness_rows(made.fairness),
        verdict=words.verdict(made.fairness),
        money=reporting.money_rows(made),
        status=words.subtitle(made),
    )


@for_those_who(WATCH)
def report_csv(request: HttpRequest, event_id: int) -> HttpResponse:
    text = reporting.csv_of(_report(request, event_id))
    return _file(text.encode(), "text/csv; charset=utf-8", f"report-{event_id}.csv")


@for_those_who(WATCH)
def report_pdf(request: HttpRequest, event_id: int) -> HttpResponse:
    body = reporting.pdf_of(_report(request, event_id))
    return _file(body, "application/pdf", f"report-{event_id}.pdf")


def _report(request: HttpRequest, event_id: int) -> Report:
    with_money = operator(request).has_perm(SEES_MONEY)
    return reporting.report_of(queue_of(event_id), with_money=with_money, now=clock.now())


def _file(body: bytes, kind: str, name: str) -> HttpResponse:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body, content_type=kind, headers=headers)
