"""What was sold, by grade and over time, what came back, and the money of it."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Q, Sum

from payments.models import Payment, Refund
from reservations.models import Reservation
from ticketing.console.reporting import queries
from ticketing.console.reporting.slots import moment, step_of
from ticketing.events.models import Grade, Seat

PAID = (Reservation.State.CONFIRMED, Reservation.State.REFUNDED)


@dataclass(frozen=True)
class GradeSales:
    code: str
    name: str
    price: int
    seats: int  # without those held back
    sold: int  # and not given back
    given_back: int

    @property
    def share(self) -> float:
        return self.sold / self.seats if self.seats else 0.0


@dataclass(frozen=True)
class Sales:
    """By grade, and how many were sold at the end of each slot of time."""

    grades: list[GradeSales]
    points: list[tuple[datetime, dict[str, int]]]

    @property
    def seats(self) -> int:
        return sum(grade.seats for grade in self.grades)

    @property
    def sold(self) -> int:
        return sum(grade.sold for grade in self.grades)

    @property
    def share(self) -> float:
        return self.sold / self.seats if self.seats else 0.0


@dataclass(frozen=True)
class Refunds:
    orders: int
    seats: int
    refunds: int
    on_their_way: int


@dataclass(frozen=True)
class Money:
    """Taken, given back, and what was kept as a fee of that; in the currency's smallest unit."""

    charged: int
    refunded: int
    fees: int

    @property
    def net(self) -> int:
        return self.charged - self.refunded


def sales(event_id: int) -> Sales:
    counts = {
        grade: counted for grade, *counted in queries.rows("grades", of="sold", event=event_id)
    }
    on_sale = Count("seats", filter=~Q(seats__state=Seat.State.BLOCKED))
    grades = Grade.objects.filter(event_id=event_id).annotate(on_sale=on_sale)
    found = [
        GradeSales(
            grade.code, grade.name, grade.price, grade.on_sale, *counts.get(grade.code, (0, 0))[:2]
        )
        for grade in grades.order_by("order", "pk")
    ]
    return Sales(found, _points(event_id, list(counts.values())))


def _points(event_id: int, counts: list[list[Any]]) -> list[tuple[datetime, dict[str, int]]]:
    if not counts:
        return []
    step = step_of(min(row[2] for row in counts), max(row[3] for row in counts))
    moves: dict[int, Counter[str]] = {}
    for slot, grade, seats in queries.rows("sales", of="sold", event=event_id, step=step):
        moves.setdefault(slot, Counter())[grade] += seats
    sold: Counter[str] = Counter()
    points = [(datetime.fromtimestamp(min(moves) * step, UTC), dict[str, int]())]
    for slot in range(min(moves), max(moves) + 1):
        sold.update(moves.get(slot, Counter()))
        points.append((moment(slot, step), dict(sold)))
    return points


def refunds(event_id: int) -> Refunds:
    back = Reservation.objects.filter(event_id=event_id, state=Reservation.State.REFUNDED)
    asked = Refund.objects.filter(payment__reservation__event_id=event_id)
    by_state = dict(asked.order_by().values_list("state").annotate(Count("pk")))
    seats = back.aggregate(seats=Count("seats"))["seats"]
    done, under_way = (by_state.get(state, 0) for state in ("done", "requested"))
    return Refunds(back.count(), seats, done, under_way)


def money(event_id: int) -> Money:
    payments = Payment.objects.filter(reservation__event_id=event_id)
    sums = payments.aggregate(charged=Sum("charged"), refunded=Sum("refunded"))
    done = Refund.objects.filter(payment__reservation__event_id=event_id, state=Refund.State.DONE)
    fees = done.aggregate(fees=Sum("fee"))["fees"]
    return Money(sums["charged"] or 0, sums["refunded"] or 0, fees or 0)


def buyers(event_id: int) -> tuple[int, int]:
    """People who held seats, and people who paid."""
    people = Count("fan", distinct=True)
    found = Reservation.objects.filter(event_id=event_id).aggregate(
        held=people, paid=Count("fan", distinct=True, filter=Q(state__in=PAID))
    )
    return found["held"], found["paid"]
