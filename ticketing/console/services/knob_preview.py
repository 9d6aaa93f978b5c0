"""What new knob values would mean, before they are saved.

Little's law: people inside = admissions per second times seconds inside.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from waiting_queue.models import SaleQueue
from waiting_queue.selectors import Overview, flow
from waiting_queue.selectors.flow import Flow, format_count, format_decimal, format_duration

# From this share of taken places on, the time inside is measured instead of assumed.
BUSY = 0.8
KNOBS = (
    *("admit_per_second", "max_inside", "pass_seconds", "pass_max_seconds", "claim_seconds"),
    *("absence_seconds", "capacity", "stock_factor", "queues_per_person", "mode"),
)


@dataclass(frozen=True)
class KnobPreview:
    """Sentences about the queue and the people inside, and warnings about unreachable values."""

    sentences: list[str]
    warnings: list[str]


def preview_knobs(queue: SaleQueue, knobs: dict[str, Any], overview: Overview) -> KnobPreview:
    """Compare these knob values with the queue's own, for the queue as it is now."""
    now = Flow.of(queue, stay=_stay(queue, overview))
    changed = SaleQueue(**{name: getattr(queue, name) for name in KNOBS} | knobs)
    then = Flow.of(changed, stay=_stay(changed, overview))
    return KnobPreview(
        [_waiting(overview.waiting, now, then), _inside(then)], flow.knob_warnings(then)
    )


def _stay(queue: SaleQueue, overview: Overview) -> float | None:
    """Seconds inside, as measured while nearly all places are taken; at most the allowed time."""
    is_busy = overview.cap > 0 and overview.inside + overview.ready >= BUSY * overview.cap
    measured = flow.measured_stay(overview.inside, overview.rate) if is_busy else None
    return min(measured, queue.pass_max_seconds) if measured else None


def _waiting(waiting: int, now: Flow, then: Flow) -> str:
    params = {
        "people": format_count(waiting),
        "then": format_duration(flow.seconds_to_empty(waiting, then)),
        "now": format_duration(flow.seconds_to_empty(waiting, now)),
    }
    if not waiting:
        return _("Nobody waits now, so the line stays empty for the moment.")
    return (
        _(
            "The %(people)s people in line would be in after about %(then)s; "
            "as it is set now, after about %(now)s."
        )
        % params
    )


def _inside(then: Flow) -> str:
    params = {
        "rate": format_decimal(then.lasting_rate),
        "stay": format_decimal(then.stay),
        "inside": format_count(round(then.places_used)),
        "cap": format_count(then.cap),
    }
    return (
        _(
            "People inside ≈ admissions × time inside: at %(rate)s a second and %(stay)s s each, "
            "about %(inside)s of %(cap)s places are taken."
        )
        % params
    )
