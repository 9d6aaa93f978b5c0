from ticketing.console.views.approvals import approval, approvals
from ticketing.console.views.audit import audit, audit_csv
from ticketing.console.views.autopilot import autopilot, autopilot_off
from ticketing.console.views.controls import knobs, move, notice
from ticketing.console.views.evidence import evidence, group, groups
from ticketing.console.views.pages import event, overview
from ticketing.console.views.people import appeal, find, person, person_action
from ticketing.console.views.reconciliations import mend, reconciliation, reconciliations
from ticketing.console.views.reports import report, report_csv, report_pdf
from ticketing.console.views.samples import figures, preview, samples
from ticketing.console.views.seats import freeze, release, seats
from ticketing.console.views.second_factor import qr, second_factor, set_up
