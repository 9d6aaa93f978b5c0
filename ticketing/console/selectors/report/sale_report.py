"""The report of a whole sale, the same data for the page, the CSV file and the PDF."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ticketing.console.selectors.report import journal
from ticketing.console.selectors.report.fairness import Fairness, fairness
from ticketing.console.selectors.report.sales import (
    RefundCounts,
    Revenue,
    Sales,
    buyers,
    refund_counts,
    revenue,
    sales,
)
from ticketing.events.models import Event
from waiting_queue.models import SaleQueue


@dataclass(frozen=True)
class SaleReport:
    """`revenue` is None for readers without the permission to see money."""

    queue: SaleQueue
    made_at: datetime
    funnel_counts: journal.FunnelCounts
    held: int
    paid: int
    durations: dict[str, journal.DurationStats | None]
    outcomes: dict[str, dict[str, int]]
    queue_sizes: journal.QueueSizes
    sales: Sales
    refunds: RefundCounts
    revenue: Revenue | None
    fairness: Fairness

    @property
    def event(self) -> Event:
        return self.queue.event

    @property
    def is_final(self) -> bool:
        return self.queue.state == SaleQueue.State.CLOSED

    @property
    def funnel(self) -> list[tuple[str, int]]:
        """People per step, from the number to the purchase."""
        counts: Any = self.funnel_counts
        steps = [(name, getattr(counts, name)) for name in ("joined", "called", "admitted")]
        return [*steps, ("held", self.held), ("paid", self.paid)]


def sale_report(queue: SaleQueue, *, with_money: bool, now: datetime) -> SaleReport:
    """Read the report; PostgreSQL aggregates, so memory here does not grow with the crowd."""
    held, paid = buyers(queue.pk)
    return SaleReport(
        queue=queue,
        made_at=now,
        funnel_counts=journal.funnel_counts(queue.pk),
        held=held,
        paid=paid,
        durations=journal.durations(queue.pk),
        outcomes=journal.outcomes(queue.pk),
        queue_sizes=journal.queue_sizes(queue.pk),
        sales=sales(queue.pk),
        refunds=refund_counts(queue.pk),
        revenue=revenue(queue.pk) if with_money else None,
        fairness=fairness(queue),
    )
