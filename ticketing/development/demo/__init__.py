"""Demo data: venues, events in the interesting states, an operator and some fans."""

from ticketing.development.demo.create import create_demo, has_data
from ticketing.development.log_ins import DEMO_LOGINS
