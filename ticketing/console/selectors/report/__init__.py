from ticketing.console.selectors.report.sale_report import SaleReport, sale_report
