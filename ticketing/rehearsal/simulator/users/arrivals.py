"""When people come: a curve for each profile."""

from dataclasses import dataclass
from random import Random

PROFILES = ("rush", "steady", "bots")
FIRST_MINUTES = 20.0  # seconds after the opening in which a rush still is one
# Of all people: who gathers in the lobby, and who comes right after the opening.
SHARES = {"rush": (0.6, 0.2), "steady": (0.1, 0.05), "bots": (0.6, 0.2)}
# Nobody comes in the last part of the sale: there would be no time to see how they fare.
LATEST = 0.75


@dataclass(frozen=True, slots=True)
class Arrival:
    """In the lobby, after a share of its time; or so many seconds after the opening."""

    in_lobby: bool
    at: float


def arrival(luck: Random, profile: str, seconds: float) -> Arrival:
    in_lobby, early = SHARES[profile]
    which = luck.random()
    if which < in_lobby:
        return Arrival(True, luck.betavariate(1.6, 1.2) * 0.97)
    rush = min(FIRST_MINUTES, seconds / 3)
    if which < in_lobby + early:
        return Arrival(False, min(luck.expovariate(3 / rush), rush))
    return Arrival(False, luck.uniform(0, LATEST * seconds))
