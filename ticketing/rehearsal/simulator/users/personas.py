"""Personas. What a user will do is drawn beforehand, from the seed and the user's number alone."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ticketing.rehearsal.simulator.users.arrivals import Arrival, arrival

FULL_SPEED_SECONDS = 120.0  # in a shorter sale everything happens faster
FOREVER = 1e9
HUMAN_PERSONAS = {
    "patient": 28,
    "refresher": 10,
    "two tabs": 8,
    "tunnel": 10,
    "sleeper": 4,
    "leaver": 4,
    "ditherer": 8,
    "fighter": 9,
    "declined": 5,
    "late payer": 4,
    "double clicker": 7,
    "quitter": 3,
}
HOARDER = "bot that hoards"
BOT_PERSONAS = {
    "bot of many tabs": 3,
    "bot that forges": 3,
    "bot that skips": 3,
    "bot that hammers": 2,
    HOARDER: 4,
}
BOT_SHARE = 0.5  # as many as people
# In each group of so many users the first few wait together.
PARTY_GROUP, PARTY_SIZE = 20, 3
PARTY_PERSONAS = frozenset({"patient", "refresher", "two tabs", "ditherer", "double clicker"})
CHANNELS = {"socket": 92, "stream": 4, "poll": 4}
SEAT_STRATEGIES = {"map": 60, "best": 40}
# What the gateway does with an ordinary card; the rare ones settle by themselves within seconds.
CARD_BEHAVIOURS = {
    "succeed": 840,
    "slow": 20,
    "pending": 20,
    "time_out": 10,
    "send_twice": 40,
    "lose_webhook": 40,
    "send_late": 10,
    "abandon": 10,
    "wrong_amount": 10,
}


@dataclass(frozen=True, slots=True)
class SaleParameters:
    """What plans depend on besides the seed."""

    profile: str
    seconds: float
    limit: int  # seats per person
    hold_seconds: float

    @property
    def time_factor(self) -> float:
        """The factor by which times are shorter in a short sale."""
        return min(1.0, self.seconds / FULL_SPEED_SECONDS)


@dataclass(frozen=True, slots=True)
class Break:
    """The connection ends so many seconds after the last break, for so many seconds."""

    after: float
    away: float
    is_abrupt: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a user will do."""

    number: int
    persona: str
    arrival: Arrival
    channel: str  # of queue updates: socket, stream, poll
    seats: int
    seat_strategy: str  # how seats are chosen: map, best, popular
    reaction: float  # seconds from being called to coming in
    thinking: float  # seconds over each choice
    card_behaviour: str  # chosen in the gateway's window
    breaks: tuple[Break, ...] = ()
    tabs: int = 1
    patience: float = FOREVER  # seconds in line
    says_goodbye: bool = False  # leaves by the button rather than by closing the page
    changes_of_mind: int = 0
    clicks: int = 1
    has_second_card: bool = True
    pays_after: float = 0.0
    gives_back: bool = False
    party: int | None = None  # those with the same one wait together
    leads: bool = False  # invites the others

    @property
    def is_bot(self) -> bool:
        return self.persona in BOT_PERSONAS


def plan_of(number: int, *, seed: int, sale: SaleParameters) -> Plan:
    rng = _random_of(number, seed)
    personas = BOT_PERSONAS if _draw_is_bot(rng, sale.profile) else HUMAN_PERSONAS
    persona = pick(rng, personas)
    plan = Plan(
        number=number,
        persona=persona,
        arrival=arrival(rng, sale.profile, sale.seconds),
        channel=pick(rng, CHANNELS),
        seats=rng.randint(1, max(1, sale.limit)),
        seat_strategy=pick(rng, SEAT_STRATEGIES),
        reaction=rng.uniform(0.2, 4) * sale.time_factor,
        thinking=min(rng.expovariate(1 / 4), 20.0) * sale.time_factor,
        card_behaviour=pick(rng, CARD_BEHAVIOURS),
        gives_back=rng.random() < 0.05,
    )
    plan = replace(plan, **TRAITS[persona](rng, sale))
    return replace(plan, **_party_of(plan))


def is_bot(number: int, *, seed: int, profile: str) -> bool:
    return _draw_is_bot(_random_of(number, seed), profile)


def _random_of(number: int, seed: int) -> Random:
    return Random(f"{seed}/{number}")  # noqa: S311 - no secret


def _draw_is_bot(rng: Random, profile: str) -> bool:
    return rng.random() < (BOT_SHARE if profile == "bots" else 0.0)


def _party_of(plan: Plan) -> dict[str, Any]:
    """A few of each group of users are friends; those with patience, so that they stay friends."""
    group, place = divmod(plan.number, PARTY_GROUP)
    if place >= PARTY_SIZE or plan.persona not in PARTY_PERSONAS:
        return {}
    return {"party": group, "leads": place == 0}


def pick(rng: Random, weights: dict[str, int]) -> str:
    return rng.choices([*weights], [*weights.values()])[0]


# -- what each persona does differently -----------------------------------------------------------

Traits = dict[str, Any]


def patient(rng: Random, sale: SaleParameters) -> Traits:
    return {}


def refresher(rng: Random, sale: SaleParameters) -> Traits:
    times = rng.randint(2, 8)
    breaks = (Break(rng.uniform(3, 15), rng.uniform(0.1, 0.6)) for _ in range(times))
    return {"channel": "socket", "breaks": tuple(breaks)}


def two_tabs(rng: Random, sale: SaleParameters) -> Traits:
    return {"channel": "socket", "tabs": 2, "clicks": rng.randint(1, 2)}


def tunnel(rng: Random, sale: SaleParameters) -> Traits:
    away = 30 * sale.time_factor
    breaks = (
        Break(rng.uniform(4, 30), rng.uniform(2, away + 2), is_abrupt=True)
        for _ in range(rng.randint(1, 3))
    )
    return {"breaks": tuple(breaks)}


def sleeper(rng: Random, sale: SaleParameters) -> Traits:
    return {"breaks": (Break(rng.uniform(2, 20), rng.uniform(0.3, 0.7) * sale.seconds),)}


def leaver(rng: Random, sale: SaleParameters) -> Traits:
    return {"patience": rng.uniform(3, 45) * sale.time_factor, "says_goodbye": True}


def quitter(rng: Random, sale: SaleParameters) -> Traits:
    return {"patience": rng.uniform(5, 60) * sale.time_factor}


def ditherer(rng: Random, sale: SaleParameters) -> Traits:
    return {
        "changes_of_mind": rng.randint(1, 3),
        "thinking": rng.uniform(3, 15) * sale.time_factor,
        "seat_strategy": "map",
    }


def fighter(rng: Random, sale: SaleParameters) -> Traits:
    return {"seat_strategy": "popular", "reaction": 0.1, "thinking": rng.uniform(0.05, 0.5)}


def declined(rng: Random, sale: SaleParameters) -> Traits:
    return {
        "card_behaviour": rng.choice(["decline", "refuse"]),
        "has_second_card": rng.random() < 0.5,
    }


def late_payer(rng: Random, sale: SaleParameters) -> Traits:
    longest = min(0.9 * sale.hold_seconds, 0.4 * sale.seconds)
    return {"pays_after": rng.uniform(0.4, 1.0) * longest, "card_behaviour": "succeed"}


def double_clicker(rng: Random, sale: SaleParameters) -> Traits:
    return {"clicks": 2, "card_behaviour": rng.choice(["succeed", "succeed", "send_twice"])}


def bot(rng: Random, sale: SaleParameters) -> Traits:
    return {
        "channel": "socket",
        "reaction": 0.05,
        "thinking": 0.05,
        "seats": max(1, sale.limit),
        "seat_strategy": "best",
        "card_behaviour": "succeed",
    }


def bot_of_many_tabs(rng: Random, sale: SaleParameters) -> Traits:
    return {**bot(rng, sale), "tabs": rng.randint(4, 8), "clicks": 4}


TRAITS: dict[str, Callable[[Random, SaleParameters], Traits]] = {
    "patient": patient,
    "refresher": refresher,
    "two tabs": two_tabs,
    "tunnel": tunnel,
    "sleeper": sleeper,
    "leaver": leaver,
    "quitter": quitter,
    "ditherer": ditherer,
    "fighter": fighter,
    "declined": declined,
    "late payer": late_payer,
    "double clicker": double_clicker,
    "bot of many tabs": bot_of_many_tabs,
    "bot that forges": bot,
    "bot that skips": bot,
    "bot that hammers": bot,
    HOARDER: bot,
}
