"""The report of a rehearsal: what held, what did not, and where the limit lies."""

from ticketing.rehearsal.simulator.report.documents import as_json, is_ok
from ticketing.rehearsal.simulator.report.pages import as_html
