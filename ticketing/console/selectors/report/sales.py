"""Seats sold by grade and over time, refunds, and revenue."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Q, Sum

from payments.models import Payment, Refund
from reservations.models import CancelledSeat, Reservation
from ticketing.console.selectors.report import queries
from ticketing.console.selectors.report.time_slots import slot_end, slot_seconds
from ticketing.events.models import Grade, Seat

PAID = (Reservation.State.CONFIRMED, Reservation.State.REFUNDED)


@dataclass(frozen=True)
class GradeSales:
    code: str
    name: str
    price: int
    seats: int  # without held-back seats
    sold: int  # without seats given back
    given_back: int

    @property
    def share(self) -> float:
        return self.sold / self.seats if self.seats else 0.0


@dataclass(frozen=True)
class Sales:
    """Sales by grade, and seats sold at the end of each time slot."""

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
class RefundCounts:
    orders: int
    seats: int
    refunds: int
    on_their_way: int


@dataclass(frozen=True)
class Revenue:
    """Charged, refunded, and cancellation fees kept; in the currency's smallest unit."""

    charged: int
    refunded: int
    fees: int

    @property
    def net(self) -> int:
        return self.charged - self.refunded


def sales(event_id: int) -> Sales:
    counts = {
        grade: counted
        for grade, *counted in queries.rows("grade_sales", cte="sold_seats", event=event_id)
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
    seconds = slot_seconds(min(row[2] for row in counts), max(row[3] for row in counts))
    rows = queries.rows("sales_over_time", cte="sold_seats", event=event_id, slot_seconds=seconds)
    changes: dict[int, Counter[str]] = {}
    for slot, grade, seats in rows:
        changes.setdefault(slot, Counter())[grade] += seats
    sold: Counter[str] = Counter()
    points = [(datetime.fromtimestamp(min(changes) * seconds, UTC), dict[str, int]())]
    for slot in range(min(changes), max(changes) + 1):
        sold.update(changes.get(slot, Counter()))
        points.append((slot_end(slot, seconds), dict(sold)))
    return points


def refund_counts(event_id: int) -> RefundCounts:
    refunded = Reservation.objects.filter(event_id=event_id, state=Reservation.State.REFUNDED)
    refunds = Refund.objects.filter(payment__reservation__event_id=event_id)
    by_state = dict(refunds.order_by().values_list("state").annotate(Count("pk")))
    alone = CancelledSeat.objects.filter(reservation__event_id=event_id).count()
    seats = alone + refunded.aggregate(seats=Count("seats"))["seats"]
    done, under_way = (by_state.get(state, 0) for state in ("done", "requested"))
    return RefundCounts(refunded.count(), seats, done, under_way)


def revenue(event_id: int) -> Revenue:
    payments = Payment.objects.filter(reservation__event_id=event_id)
    sums = payments.aggregate(charged=Sum("charged"), refunded=Sum("refunded"))
    done = Refund.objects.filter(payment__reservation__event_id=event_id, state=Refund.State.DONE)
    fees = done.aggregate(fees=Sum("fee"))["fees"]
    return Revenue(sums["charged"] or 0, sums["refunded"] or 0, fees or 0)


def buyers(event_id: int) -> tuple[int, int]:
    """The number of people who held seats, and of people who paid."""
    people = Count("fan", distinct=True)
    found = Reservation.objects.filter(event_id=event_id).aggregate(
        held=people, paid=Count("fan", distinct=True, filter=Q(state__in=PAID))
    )
    return found["held"], found["paid"]
