from ticketing.operations.selectors.findings import Finding, Report, diagnose
