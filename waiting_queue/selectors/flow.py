"""How people flow through a queue at given knobs, and which knobs do not fit each other.

Little's law: people inside = admissions per second times seconds inside.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from waiting_queue.models import SaleQueue

# A share of the places inside: below it they count as mostly empty, above it as mostly taken.
MANY_PLACES = 0.5
LATE_TICK_SECONDS = 5
SHORT_ABSENCE_SECONDS = 60


@dataclass(frozen=True)
class Flow:
    """A rate of 0 means no limit. `stay`, in seconds, is measured or, failing that, the pass."""

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
        """Admissions per second once all places are taken: as many as leave."""
        return self.cap / self.stay

    @property
    def cap_binds(self) -> bool:
        return not self.rate or self.rate_of_places < self.rate

    @property
    def lasting_rate(self) -> float:
        """Admissions per second that can be kept up."""
        return self.rate_of_places if self.cap_binds else self.rate

    @property
    def places_used(self) -> float:
        return min(self.cap, self.rate * self.stay) if self.rate else self.cap


def seconds_to_empty(waiting: int, flow: Flow) -> float:
    """Return the seconds until the last of so many is in; the slower of rate and places decides."""
    by_places = max(waiting - flow.cap, 0) / flow.rate_of_places
    return max(by_places, waiting / flow.rate if flow.rate else 0)


def measured_stay(inside: int, rate: float) -> float | None:
    """Return the average stay by Little's law; valid only while all places are taken."""
    return inside / rate if inside and rate else None


def knob_warnings(flow: Flow) -> list[str]:
    """Return one sentence for each knob that will not work as set."""
    warnings = [
        _rate_warning(flow),
        _claim_warning(flow),
        _absence_warning(flow),
        _stock_warning(flow),
    ]
    return [warning for warning in warnings if warning]


def full_line_forecast(flow: Flow) -> str:
    """Return how long a line at full capacity would take."""
    text = _("A full line of %(people)s would take about %(time)s, at %(rate)s people a second.")
    return text % {
        "people": format_count(flow.capacity),
        "time": format_duration(seconds_to_empty(flow.capacity, flow)),
        "rate": format_decimal(flow.lasting_rate),
    }


def live_warnings(*, lost: bool, tick_age: float | None) -> list[str]:
    """Return what is wrong with a queue that should be ticking."""
    if lost:
        return [_("Redis does not know this line; the next tick restores it from the journal.")]
    if tick_age is not None and tick_age > LATE_TICK_SECONDS:
        text = _("The last tick was %(time)s ago: nobody is called. Are beat and ticker running?")
        return [text % {"time": format_duration(tick_age)}]
    return []


def _rate_warning(flow: Flow) -> str:
    params = {
        "places": format_count(flow.cap),
        "stay": format_decimal(flow.stay),
        "reached": format_decimal(flow.rate_of_places),
        "rate": format_decimal(flow.rate),
        "used": format_count(round(flow.places_used)),
    }
    if not flow.rate:
        return _("Without a rate, all %(places)s places are given away within a second.") % params
    if flow.cap_binds:
        return (
            _(
                "With %(places)s places and %(stay)s s inside, about %(reached)s people a second "
                "can come in; the rate of %(rate)s/s will not be reached."
            )
            % params
        )
    if flow.places_used < flow.cap * MANY_PLACES:
        text = _(
            "At %(rate)s/s and %(stay)s s inside, only about %(used)s of %(places)s places "
            "will be in use."
        )
        return text % params
    return ""


def _claim_warning(flow: Flow) -> str:
    """People who are called keep a place until they come or their time to claim is up."""
    kept = min(flow.cap, flow.lasting_rate * flow.claim)
    if kept <= flow.cap * MANY_PLACES:
        return ""
    text = _("People who are called but don't come can keep %(kept)s of %(places)s places empty.")
    return text % {"kept": format_count(round(kept)), "places": format_count(flow.cap)}


def _absence_warning(flow: Flow) -> str:
    if flow.absence >= SHORT_ABSENCE_SECONDS:
        return ""
    text = _("With %(time)s s of absence, a phone that sleeps for a moment loses its place.")
    return text % {"time": flow.absence}


def _stock_warning(flow: Flow) -> str:
    return _("With a stock factor of 0 nobody comes in.") if flow.stock_factor == 0 else ""


def format_duration(seconds: float) -> str:
    """Return hours and minutes, or minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes_left}
    if minutes:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": rest}
    return _("%(seconds)s s") % {"seconds": rest}


def format_count(number: int) -> str:
    return f"{number:,}"


def format_decimal(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")
