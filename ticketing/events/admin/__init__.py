"""Admin pages of events, venues and seat plans."""

from ticketing.events.admin import changes, events, plans, seats, venues
