from ticketing.console.views.reports.pages import report, report_csv, report_pdf
