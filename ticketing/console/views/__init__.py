from ticketing.console.views.controls import knobs, move, tell
from ticketing.console.views.pages import event, overview
from ticketing.console.views.people import appeal, deed, find, person
from ticketing.console.views.piloting import autopilot, autopilot_off
from ticketing.console.views.reports import report, report_csv, report_pdf
from ticketing.console.views.seats import freeze, release, seats
from ticketing.console.views.second_factor import qr, second_factor, set_up
from ticketing.console.views.telling import figures, preview, samples
