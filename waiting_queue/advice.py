"""Whether a queue's knobs fit each other.

Little's law: people inside = admissions per second times seconds inside.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from waiting_queue.models import SaleQueue

# Below this share of the places in use, the rate is what keeps people waiting.
MANY_PLACES = 0.5
LATE_TICK_SECONDS = 5
SHORT_ABSENCE_SECONDS = 60


@dataclass(frozen=True)
class Flow:
    """How people pass through a queue. A rate of 0 is no limit; the stay is a guess or measured."""

    rate: float
    cap: int
    stay: float
    capacity: int = 50_000
    claim: int = 60
    absence: int = 300
    stock_factor: float | None = None

    @classmethod
    def of(cls, queue: SaleQueue, *, stay: float | None = None) -> "Flow":
        return cls(
            rate=queue.admit_per_second,
            cap=queue.max_inside,
            stay=stay or queue.pass_seconds,
            capacity=queue.capacity,
            claim=queue.claim_seconds,
            absence=queue.absence_seconds,
            stock_factor=queue.stock_factor,
        )

    @property
    def rate_of_places(self) -> float:
        """As many as go out can come in, once all places are taken."""
        return self.cap / self.stay

    @property
    def cap_binds(self) -> bool:
        return not self.rate or self.rate_of_places < self.rate

    @property
    def lasting_rate(self) -> float:
        return self.rate_of_places if self.cap_binds else self.rate

    @property
    def places_used(self) -> float:
        return min(self.cap, self.rate * self.stay) if self.rate else self.cap


def seconds_to_empty(waiting: int, flow: Flow) -> float:
    """How long until the last of so many is in: neither the rate nor the places go faster."""
    by_places = max(waiting - flow.cap, 0) / flow.rate_of_places
    return max(by_places, waiting / flow.rate if flow.rate else 0)


def measured_stay(inside: int, rate: float) -> float | None:
    """Little's law the other way round; true only of a house that is full."""
    return inside / rate if inside and rate else None


def warnings(flow: Flow) -> list[str]:
    """What will not work as the knobs promise, in whole sentences."""
    told = [_about_rate(flow), _about_calls(flow), _about_absence(flow), _about_stock(flow)]
    return [words for words in told if words]


def outlook(flow: Flow) -> str:
    """What a full line would mean."""
    took = duration(seconds_to_empty(flow.capacity, flow))
    words = _("A full line of %(people)s would take about %(time)s, at %(rate)s people a second.")
    return words % {"people": count(flow.capacity), "time": took, "rate": short(flow.lasting_rate)}


def live_warnings(*, lost: bool, tick_age: float | None) -> list[str]:
    """What is wrong with a queue that should be running."""
    if lost:
        return [_("Redis does not know this line; the next tick restores it from the journal.")]
    if tick_age is not None and tick_age > LATE_TICK_SECONDS:
        words = _("The last tick was %(time)s ago: nobody is called. Are beat and ticker running?")
        return [words % {"time": duration(tick_age)}]
    return []


def _about_rate(flow: Flow) -> str:
    told = {
        "places": count(flow.cap),
        "stay": short(flow.stay),
        "reached": short(flow.rate_of_places),
        "rate": short(flow.rate),
        "used": count(round(flow.places_used)),
    }
    if not flow.rate:
        return _("Without a rate, all %(places)s places are given away within a second.") % told
    if flow.cap_binds:
        return (
            _(
                "With %(places)s places and %(stay)s s inside, about %(reached)s people a second "
                "can come in; the rate of %(rate)s/s will not be reached."
            )
            % told
        )
    if flow.places_used < flow.cap * MANY_PLACES:
        words = _(
            "At %(rate)s/s and %(stay)s s inside, only about %(used)s of %(places)s places "
            "will be in use."
        )
        return words % told
    return ""


def _about_calls(flow: Flow) -> str:
    """Those who are called and don't come keep a place until their time is up."""
    kept = min(flow.cap, flow.lasting_rate * flow.claim)
    if kept <= flow.cap * MANY_PLACES:
        return ""
    words = _("People who are called but don't come can keep %(kept)s of %(places)s places empty.")
    return words % {"kept": count(round(kept)), "places": count(flow.cap)}


def _about_absence(flow: Flow) -> str:
    if flow.absence >= SHORT_ABSENCE_SECONDS:
        return ""
    words = _("With %(time)s s of absence, a phone that sleeps for a moment loses its place.")
    return words % {"time": flow.absence}


def _about_stock(flow: Flow) -> str:
    return _("With a stock factor of 0 nobody comes in.") if flow.stock_factor == 0 else ""


def duration(seconds: float) -> str:
    """Two units at most: nobody needs the seconds of an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes_left}
    if minutes:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": rest}
    return _("%(seconds)s s") % {"seconds": rest}


def count(number: int) -> str:
    return f"{number:,}"


def short(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")
