"""Reports of sales: what the journal and the books say about one, as a page, a table, on paper."""

from ticketing.console.reporting.charts import charts_of
from ticketing.console.reporting.report import Report, report_of
from ticketing.console.reporting.sheet import csv_of
from ticketing.console.reporting.words import money_rows


def pdf_of(report: Report) -> bytes:
    """What draws on paper takes a second to load."""
    from ticketing.console.reporting import paper

    return paper.pdf_of(report)
