"""A believable demo: houses, events in the interesting states, an operator and some fans."""

from ticketing.demo.people import DEMO_LOGINS
from ticketing.demo.planting import is_planted, plant, planted

__all__ = ["DEMO_LOGINS", "is_planted", "plant", "planted"]
