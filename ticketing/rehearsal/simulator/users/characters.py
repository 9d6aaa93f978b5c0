"""Who the people are. All that somebody means to do is drawn beforehand, from the seed alone."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ticketing.rehearsal.simulator.users.arrivals import Arrival, arrival

UNHURRIED = 120.0  # seconds of a sale in which people may take their time
FOREVER = 1e9
HONEST = {
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
BOTS = {"bot of many tabs": 3, "bot that forges": 3, "bot that skips": 3, "bot that hammers": 2}
SHARE_OF_BOTS = 0.25
WAYS = {"socket": 92, "stream": 4, "poll": 4}
TASTES = {"map": 60, "best": 40}
# What the gateway does to an ordinary buyer; the rarer ones settle by themselves within seconds.
LUCK_WITH_CARDS = {
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
class Sale:
    """What the plans depend on besides the seed."""

    profile: str
    seconds: float
    limit: int  # seats per person
    hold_seconds: float

    @property
    def hurry(self) -> float:
        """Of a short sale everything happens faster."""
        return min(1.0, self.seconds / UNHURRIED)


@dataclass(frozen=True, slots=True)
class Break:
    """So long after the last one the connection ends, and so long it is gone."""

    after: float
    away: float
    is_abrupt: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What somebody means to do."""

    number: int
    character: str
    arrival: Arrival
    way: str  # of hearing from the line: socket, stream, poll
    seats: int
    taste: str  # how seats are chosen: map, best, popular
    reaction: float  # seconds from being called to coming in
    thinking: float  # seconds over each choice
    behaviour: str  # of the card, in the gateway's window
    breaks: tuple[Break, ...] = ()
    tabs: int = 1
    patience: float = FOREVER  # seconds in line
    says_goodbye: bool = False  # leaves by the button rather than by closing the page
    changes_of_mind: int = 0
    clicks: int = 1
    has_second_card: bool = True
    pays_after: float = 0.0
    gives_back: bool = False

    @property
    def is_bot(self) -> bool:
        return self.character in BOTS


def plan_of(number: int, *, seed: int, sale: Sale) -> Plan:
    luck = Random(f"{seed}/{number}")  # noqa: S311 - a play that can be repeated
    bots = SHARE_OF_BOTS if sale.profile == "bots" else 0.0
    character = pick(luck, BOTS if luck.random() < bots else HONEST)
    plan = Plan(
        number=number,
        character=character,
        arrival=arrival(luck, sale.profile, sale.seconds),
        way=pick(luck, WAYS),
        seats=luck.randint(1, max(1, sale.limit)),
        taste=pick(luck, TASTES),
        reaction=luck.uniform(0.2, 4) * sale.hurry,
        thinking=min(luck.expovariate(1 / 4), 20.0) * sale.hurry,
        behaviour=pick(luck, LUCK_WITH_CARDS),
        gives_back=luck.random() < 0.05,
    )
    return replace(plan, **TRAITS[character](luck, sale))


def pick(luck: Random, weights: dict[str, int]) -> str:
    return luck.choices([*weights], [*weights.values()])[0]


# -- what is particular about each ----------------------------------------------------------------

Traits = dict[str, Any]


def patient(luck: Random, sale: Sale) -> Traits:
    return {}


def refresher(luck: Random, sale: Sale) -> Traits:
    times = luck.randint(2, 8)
    breaks = (Break(luck.uniform(3, 15), luck.uniform(0.1, 0.6)) for _ in range(times))
    return {"way": "socket", "breaks": tuple(breaks)}


def two_tabs(luck: Random, sale: Sale) -> Traits:
    return {"way": "socket", "tabs": 2, "clicks": luck.randint(1, 2)}


def tunnel(luck: Random, sale: Sale) -> Traits:
    away = 30 * sale.hurry
    breaks = (
        Break(luck.uniform(4, 30), luck.uniform(2, away + 2), is_abrupt=True)
        for _ in range(luck.randint(1, 3))
    )
    return {"breaks": tuple(breaks)}


def sleeper(luck: Random, sale: Sale) -> Traits:
    return {"breaks": (Break(luck.uniform(2, 20), luck.uniform(0.3, 0.7) * sale.seconds),)}


def leaver(luck: Random, sale: Sale) -> Traits:
    return {"patience": luck.uniform(3, 45) * sale.hurry, "says_goodbye": True}


def quitter(luck: Random, sale: Sale) -> Traits:
    return {"patience": luck.uniform(5, 60) * sale.hurry}


def ditherer(luck: Random, sale: Sale) -> Traits:
    return {
        "changes_of_mind": luck.randint(1, 3),
        "thinking": luck.uniform(3, 15) * sale.hurry,
        "taste": "map",
    }


def fighter(luck: Random, sale: Sale) -> Traits:
    return {"taste": "popular", "reaction": 0.1, "thinking": luck.uniform(0.05, 0.5)}


def declined(luck: Random, sale: Sale) -> Traits:
    return {
        "behaviour": luck.choice(["decline", "refuse"]),
        "has_second_card": luck.random() < 0.5,
    }


def late_payer(luck: Random, sale: Sale) -> Traits:
    longest = min(0.9 * sale.hold_seconds, 0.4 * sale.seconds)
    return {"pays_after": luck.uniform(0.4, 1.0) * longest, "behaviour": "succeed"}


def double_clicker(luck: Random, sale: Sale) -> Traits:
    return {"clicks": 2, "behaviour": luck.choice(["succeed", "succeed", "send_twice"])}


def bot(luck: Random, sale: Sale) -> Traits:
    return {
        "way": "socket",
        "reaction": 0.05,
        "thinking": 0.05,
        "seats": max(1, sale.limit),
        "taste": "best",
        "behaviour": "succeed",
    }


def bot_of_many_tabs(luck: Random, sale: Sale) -> Traits:
    return {**bot(luck, sale), "tabs": luck.randint(4, 8), "clicks": 4}


TRAITS: dict[str, Callable[[Random, Sale], Traits]] = {
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
}
