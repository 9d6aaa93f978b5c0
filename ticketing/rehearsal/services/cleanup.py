"""Delete everything of a rehearsal, also while late requests still come in."""

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from time import sleep

from django.db import DatabaseError, connection, transaction
from django.db.models import Q

from payments.models import OutboxMessage, Payment, Refund, WebhookReceipt
from reservations.models import Reservation
from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.core.errors import IllegalMove, NotFound
from ticketing.events import services as events
from ticketing.events.models import REHEARSAL_IDS, Event
from ticketing.events.services import event_for_update
from ticketing.events.services.changes import record_change
from ticketing.rehearsal import gateway_ledger, leftovers, store
from ticketing.rehearsal.locks import rehearsal_for_update
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.runner_contact import RUNNER_TIMEOUT
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

log = logging.getLogger(__name__)
# A request or worker may still be in the middle of something: then another round follows.
ROUNDS = 8
PAUSE_SECONDS = 0.25
# What ran while the rows were deleted may write to Redis a moment later, so two rounds must be
# clean in a row.
CLEAN_ROUNDS = 2


@dataclass
class Identifiers:
    """Names by which rows and keys are found once the rows that relate them are gone."""

    event_id: int
    people: list[int]
    sessions: list[str]
    secret_hashes: list[str]
    orders: set[str] = field(default_factory=set)
    payments: set[str] = field(default_factory=set)
    refunds: set[str] = field(default_factory=set)

    @property
    def redis_keys(self) -> store.KeyFilter:
        people, sessions = frozenset(map(str, self.people)), frozenset(self.sessions)
        return store.KeyFilter([str(self.event_id), *self.secret_hashes], people, sessions)

    def refresh(self) -> None:
        """Add orders that were made since, by requests that passed before the sale was closed."""
        reservations = Reservation.objects.filter(event_id=self.event_id)
        payments = Payment.objects.filter(reservation__event_id=self.event_id)
        refunds = Refund.objects.filter(payment__in=payments)
        self.orders.update(reservations.values_list("code", flat=True))
        self.payments.update(payments.values_list("number", flat=True))
        self.refunds.update(str(key) for key in refunds.values_list("key", flat=True))


def clean_up_rehearsal(*, code: str, now: datetime) -> dict[str, int]:
    """Delete everything and return how many rows of each model, and keys, are left.

    May be repeated at any time.
    """
    rehearsal = _end(code, now)
    identifiers = _shut_out_everybody(rehearsal, now)
    clean_rounds = 0
    for _ in range(ROUNDS):
        identifiers.refresh()
        _delete(identifiers)
        store.delete_keys(identifiers.redis_keys)
        left = count_leftovers(identifiers)
        clean_rounds = clean_rounds + 1 if only_unremovable(left, identifiers) else 0
        if clean_rounds == CLEAN_ROUNDS:
            break
        sleep(PAUSE_SECONDS)
    # Once everything removable is gone the next rehearsal may start.
    cleaned_at = (rehearsal.cleaned_at or now) if clean_rounds else None
    Rehearsal.objects.filter(pk=rehearsal.pk).update(left_behind=left, cleaned_at=cleaned_at)
    log.info("rehearsal %s: cleaned up, %s rows and keys left", rehearsal, sum(left.values()))
    return left


def clean_up_forgotten(*, now: datetime) -> list[str]:
    """Stop and clean up rehearsals whose runner has not called for a long time."""
    silent = Rehearsal.objects.filter(heard_at__lte=now - RUNNER_TIMEOUT)
    unfinished = silent.filter(state=Rehearsal.State.RUNNING) | silent.filter(cleaned_at=None)
    codes = list(unfinished.values_list("code", flat=True))
    for code in codes:
        stop_rehearsal(code=code, by=None, now=now)
    return codes


def stop_rehearsal(*, code: str, by: User | None, now: datetime) -> dict[str, int]:
    """Stop a rehearsal and clean it up; a report that comes later does not change its state."""
    with transaction.atomic():
        rehearsal = rehearsal_for_update(code)
        if rehearsal.state == Rehearsal.State.RUNNING:
            rehearsal.move_to(Rehearsal.State.STOPPED)
            rehearsal.finished_at = now
            rehearsal.save(update_fields=["state", "finished_at"])
            log.info("rehearsal %s was stopped by %s", rehearsal, by.pk if by else "the system")
            if rehearsal.source_id:
                change = {"what": "rehearsal", "before": rehearsal.code, "after": "stopped"}
                record_change(event_id=rehearsal.source_id, by=by, now=now, **change)
    return clean_up_rehearsal(code=code, now=now)


def count_leftovers(identifiers: Identifiers) -> dict[str, int]:
    left = leftovers.count(identifiers.event_id, identifiers.people)
    messages = OutboxMessage.objects.filter(body__event=identifiers.event_id)
    left["payments.OutboxMessage"] = messages.count()
    receipts = WebhookReceipt.objects.filter(number__in=identifiers.payments)
    left["payments.WebhookReceipt"] = receipts.count()
    if gateway_ledger.is_sandbox():
        left["sandbox"] = gateway_ledger.count_payments(identifiers.payments)
    left["redis"] = store.count_keys(identifiers.redis_keys)
    return dict(sorted(left.items()))


def only_unremovable(left: dict[str, int], identifiers: Identifiers) -> bool:
    """Whether only those are left who have something of a real event: they never can go."""
    staying = leftovers.count_of_those_who_stay(identifiers.people)
    return all(count == staying[name] for name, count in left.items())


@transaction.atomic
def _end(code: str, now: datetime) -> Rehearsal:
    """Mark the rehearsal as over: the API refuses everything else from here on."""
    rehearsal = rehearsal_for_update(code)
    if rehearsal.ended_at is None:
        rehearsal.ended_at = now
        rehearsal.save(update_fields=["ended_at"])
    return rehearsal


def _shut_out_everybody(rehearsal: Rehearsal, now: datetime) -> Identifiers:
    """End all sessions and close the sale, so that late requests are refused."""
    theirs = Q(pk__gt=rehearsal.copy, pk__lt=rehearsal.copy + REHEARSAL_IDS)
    users = User.objects.filter(theirs | Q(email__endswith=rehearsal.domain))
    people = list(users.values_list("pk", flat=True))
    sessions = accounts.end_sessions(user_ids=people)
    if gateway_ledger.is_sandbox():
        gateway_ledger.set_gateway_behaviour()
    return Identifiers(rehearsal.copy, people, sessions, _close_sale(rehearsal.copy, now))


def _close_sale(event_id: int, now: datetime) -> list[str]:
    """Close queue and event; return the secret's hash, under which the draw was published."""
    queue = SaleQueue.objects.filter(pk=event_id).first()
    if queue is None:
        return []
    with suppress(IllegalMove, NotFound):  # another clean-up may have closed it just now
        queues.move_queue(event_id=event_id, to=SaleQueue.State.CLOSED, by=None, now=now)
    with suppress(IllegalMove, NotFound):
        events.move_event(event_id=event_id, to=Event.State.CLOSED, by=None, now=now)
    queues.send_closing_message(event_id=event_id, now=now)
    return [queue.secret_sha256]


def _delete(identifiers: Identifiers) -> None:
    """Delete the rows; if a worker is in the middle of a payment, the next round succeeds."""
    try:
        _delete_rows(identifiers)
        if gateway_ledger.is_sandbox():
            gateway_ledger.delete_payments(identifiers.payments, identifiers.refunds)
    except DatabaseError as conflict:
        log.warning("rehearsal %s: could not delete all rows: %s", identifiers.event_id, conflict)


@transaction.atomic
def _delete_rows(identifiers: Identifiers) -> None:
    with suppress(NotFound):  # an earlier round deleted it
        event_for_update(identifiers.event_id)  # nobody can add rows of the event from here on
    with connection.cursor() as cursor:  # for the audit's trigger, until the transaction ends
        over = "SELECT set_config('ticketing.rehearsal_over', %s, true)"
        cursor.execute(over, [str(identifiers.event_id)])
    aggregates = [f"reservation:{code}" for code in identifiers.orders]
    OutboxMessage.objects.filter(aggregate__in=aggregates)._raw_delete("default")
    WebhookReceipt.objects.filter(number__in=identifiers.payments)._raw_delete("default")
    leftovers.delete_rows_of_event(identifiers.event_id)
    leftovers.delete_people(identifiers.people)
