"""The operators' side of events and venues. Every write calls a service."""

from ticketing.events.admin import changes, events, plans, seats, venues
