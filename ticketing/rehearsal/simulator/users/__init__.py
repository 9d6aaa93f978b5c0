"""The people of a rehearsal. They know the site only by what anybody can know of it: its doors."""

from ticketing.rehearsal.simulator.users.characters import Plan, Sale, plan_of
from ticketing.rehearsal.simulator.users.crowd import Crowd
from ticketing.rehearsal.simulator.users.door import Door
from ticketing.rehearsal.simulator.users.tally import Tally
