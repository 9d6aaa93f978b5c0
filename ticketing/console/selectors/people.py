"""The history of one person in a sale."""

from dataclasses import dataclass
from datetime import datetime

from payments.models import Payment
from reservations.selectors import ReservationWithSeats, own_reservations
from ticketing.accounts.models import User
from waiting_queue.models import BlockAppeal, QueueChange, QueueJournal

MAX_ENTRIES = 50


@dataclass(frozen=True)
class PersonHistory:
    """What happened to a person in one sale, newest first."""

    journal: list[QueueJournal]
    reservations: list[ReservationWithSeats]
    payments: list[Payment]
    appeals: list[BlockAppeal]
    changes: list[QueueChange]

    @property
    def since(self) -> datetime | None:
        """When the person reached their current place in the queue."""
        return self.journal[0].at if self.journal else None


def person_history(*, event_id: int, user: User) -> PersonHistory:
    """At most MAX_ENTRIES of each kind."""
    journal = QueueJournal.objects.filter(event_id=event_id, person=user.pk).order_by("-pk")
    payments = Payment.objects.filter(reservation__event_id=event_id, fan=user)
    appeals = BlockAppeal.objects.filter(queue_id=event_id, person=user)
    changes = QueueChange.objects.filter(queue_id=event_id, what=f"person {user.pk}")
    return PersonHistory(
        journal=list(journal[:MAX_ENTRIES]),
        reservations=own_reservations(event_id=event_id, fan_id=user.pk)[:MAX_ENTRIES],
        payments=list(payments.select_related("reservation").order_by("-pk")[:MAX_ENTRIES]),
        appeals=list(appeals.select_related("answered_by").order_by("-pk")[:MAX_ENTRIES]),
        changes=list(changes.select_related("by")[:MAX_ENTRIES]),
    )
