"""When users arrive: a distribution for each profile."""

from dataclasses import dataclass
from random import Random

PROFILES = ("rush", "steady", "bots")
RUSH_SECONDS = 20.0  # after the opening
# Shares of users who come to the lobby, and within the rush after the opening.
SHARES = {"rush": (0.6, 0.2), "steady": (0.1, 0.05), "bots": (0.6, 0.2)}
# Nobody arrives later in the sale than this share: there would be no time left to buy.
LATEST_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class Arrival:
    """`at` is a share of the lobby's time, or seconds after the opening."""

    in_lobby: bool
    at: float


def arrival(rng: Random, profile: str, seconds: float) -> Arrival:
    in_lobby, early = SHARES[profile]
    which = rng.random()
    if which < in_lobby:
        return Arrival(True, rng.betavariate(1.6, 1.2) * 0.97)
    rush = min(RUSH_SECONDS, seconds / 3)
    if which < in_lobby + early:
        return Arrival(False, min(rng.expovariate(3 / rush), rush))
    return Arrival(False, rng.uniform(0, LATEST_SHARE * seconds))
