"""A sale looked back on, whole: the same for the page, the table file and the paper."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ticketing.console.reporting import line
from ticketing.console.reporting import sales as books
from ticketing.console.reporting.fairness import Fairness, fairness
from ticketing.events.models import Event
from waiting_queue.models import SaleQueue


@dataclass(frozen=True)
class Report:
    """`money` is None for those who may not see it."""

    queue: SaleQueue
    made_at: datetime
    reached: line.Reached
    held: int
    paid: int
    spans: dict[str, line.Span | None]
    endings: dict[str, dict[str, int]]
    course: line.Course
    sales: books.Sales
    refunds: books.Refunds
    money: books.Money | None
    fairness: Fairness

    @property
    def event(self) -> Event:
        return self.queue.event

    @property
    def is_final(self) -> bool:
        return self.queue.state == SaleQueue.State.CLOSED

    @property
    def funnel(self) -> list[tuple[str, int]]:
        """People, from the number to the purchase."""
        told: Any = self.reached
        steps = [(name, getattr(told, name)) for name in ("joined", "called", "admitted")]
        return [*steps, ("held", self.held), ("paid", self.paid)]


def report_of(queue: SaleQueue, *, with_money: bool, now: datetime) -> Report:
    """Everything is summed up by the database: its cost here does not grow with the crowd."""
    held, paid = books.buyers(queue.pk)
    return Report(
        queue=queue,
        made_at=now,
        reached=line.reached(queue.pk),
        held=held,
        paid=paid,
        spans=line.spans(queue.pk),
        endings=line.endings(queue.pk),
        course=line.course(queue.pk),
        sales=books.sales(queue.pk),
        refunds=books.refunds(queue.pk),
        money=books.money(queue.pk) if with_money else None,
        fairness=fairness(queue),
    )
