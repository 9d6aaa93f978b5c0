"""The checklist of an event: what it has, and what is missing before it is sold."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ticketing.events.models import Event, Organiser, SeatPlan, Venue
from ticketing.events.selectors import event_seat_counts, plan_grades, plan_seat_counts
from ticketing.rehearsal.models import Rehearsal
from waiting_queue.models import SaleQueue


@dataclass(frozen=True)
class Step:
    """One step; `text` says what is there, or what is missing."""

    name: str
    is_done: bool
    text: str
    is_optional: bool = False

    @property
    def is_missing(self) -> bool:
        return not self.is_done and not self.is_optional


@dataclass(frozen=True)
class FirstSteps:
    """What there is before an event: the newest of each kind is offered to the form."""

    organiser: Organiser | None
    venue: Venue | None
    plan: SeatPlan | None
    has_events: bool

    @property
    def steps(self) -> list[Step]:
        return [
            Step(
                "organiser", bool(self.organiser), str(self.organiser or _("Who invites people?"))
            ),
            Step("venue", bool(self.venue), str(self.venue or _("Where does it take place?"))),
            Step("plan", bool(self.plan), str(self.plan or _("Which seats does the venue have?"))),
            Step("event", False, _("Title, times and prices; the seats follow from the plan.")),
        ]


def first_steps() -> FirstSteps:
    return FirstSteps(
        organiser=Organiser.objects.order_by("-pk").first(),
        venue=Venue.objects.order_by("-pk").first(),
        plan=SeatPlan.objects.select_related("venue").order_by("-pk").first(),
        has_events=Event.objects.filter(rehearsal_of=None).exists(),
    )


def checklist(event: Event, *, now: datetime) -> list[Step]:
    return list(_steps(event, now))


def _steps(event: Event, now: datetime) -> Iterator[Step]:
    seats = plan_seat_counts([event.plan_id]).get(event.plan_id, {}).get("seats", 0)
    grades = plan_grades(event.plan_id)
    yield Step("venue", True, event.plan.venue.name)
    text = ngettext(
        "%(seats)s place; grades: %(grades)s", "%(seats)s places; grades: %(grades)s", seats
    )
    values = {"seats": f"{seats:,}", "grades": ", ".join(grades)}
    yield Step("plan", bool(seats), f"{event.plan.name}: {text % values}")
    yield _times(event, now)
    yield _prices(event, grades)
    yield _seats(event)
    yield _line(event)
    yield _rehearsal(event)
    yield Step("announce", event.state != Event.State.DRAFT, _status(event))


def _times(event: Event, now: datetime) -> Step:
    is_late = event.state == Event.State.DRAFT and event.on_sale_at <= now
    text = _("On sale from %(sale)s, starts %(start)s.")
    if is_late:
        text = _("The sale was to open on %(sale)s, which is over: choose a new time.")
    values = {"sale": _time(event.on_sale_at), "start": _time(event.starts_at)}
    return Step("event", not is_late, text % values)


def _prices(event: Event, grades: list[str]) -> Step:
    codes = set(event.grades.values_list("code", flat=True))
    if missing := [grade for grade in grades if grade not in codes]:
        text = _("These grades of the plan have no price yet: %(codes)s.")
        return Step("prices", False, text % {"codes": ", ".join(missing)})
    return Step(
        "prices", True, ", ".join(f"{one.code} {one.price:,}" for one in event.grades.all())
    )


def _seats(event: Event) -> Step:
    counts = event_seat_counts([event.pk]).get(event.pk)
    if counts is None:
        return Step("seats", False, _("There are no seats yet: they are created from the plan."))
    text = _("%(total)s seats, %(blocked)s of them held back.")
    return Step("seats", True, text % {name: f"{counts[name]:,}" for name in ("total", "blocked")})


def _line(event: Event) -> Step:
    queue = SaleQueue.objects.filter(pk=event.pk).first()
    if queue is not None:
        text = _("%(mode)s; opens on %(time)s.")
        mode = SaleQueue.Mode(queue.mode).label
        return Step("line", True, text % {"mode": mode, "time": _time(queue.opens_at)})
    if event.without_line:
        return Step("line", True, _("Sold without a line: everybody can buy at once."))
    return Step("line", False, _("Without a line, or your word for it, the sale does not open."))


def _rehearsal(event: Event) -> Step:
    last = Rehearsal.objects.filter(source=event).defer("html", "json").first()
    if last is None:
        return Step("rehearsal", False, _("Not rehearsed yet."), is_optional=True)
    text = f"{_time(last.started_at)}: {Rehearsal.State(last.state).label}"
    return Step("rehearsal", last.state == Rehearsal.State.PASSED, text, is_optional=True)


def _status(event: Event) -> str:
    match event.state:
        case Event.State.DRAFT:
            return _("Nobody sees the event yet.")
        case Event.State.ANNOUNCED:
            text = _("Everybody sees the event. Its sale opens by itself on %(time)s.")
            return text % {"time": _time(event.on_sale_at)}
    return str(Event.State(event.state).label)


def _time(moment: datetime) -> str:
    return f"{localtime(moment):%Y-%m-%d %H:%M}"
