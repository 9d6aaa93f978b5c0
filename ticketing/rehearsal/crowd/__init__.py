"""The people of a rehearsal. They know the site only by what anybody can know of it: its doors."""

from ticketing.rehearsal.crowd.characters import Plan, Sale, plan_of
from ticketing.rehearsal.crowd.crowd import Crowd
from ticketing.rehearsal.crowd.door import Door
from ticketing.rehearsal.crowd.tally import Tally

__all__ = ["Crowd", "Door", "Plan", "Sale", "Tally", "plan_of"]
