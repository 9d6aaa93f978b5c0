"""A rehearsal is over: nothing of its event and its people stays, also while some still call."""

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from time import sleep

from django.db import DatabaseError, connection, transaction

from payments.models import OutboxMessage, Payment, Refund, WebhookReceipt
from reservations.models import Reservation
from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.core.errors import IllegalMove, NotFound
from ticketing.events import services as events
from ticketing.events.locks import event_for_update
from ticketing.events.models import Event
from ticketing.events.services.changes import record_change
from ticketing.rehearsal import gateway_ledger, leftovers, store
from ticketing.rehearsal.locks import rehearsal_for_update
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.hearing import SILENCE
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

log = logging.getLogger(__name__)
# Somebody may be in the middle of something: then once more, a moment later.
ROUNDS = 8
PAUSE_SECONDS = 0.25
# What was under way when the rows went may write into Redis a moment later: so look twice.
TWICE = 2


@dataclass
class Traces:
    """What is known by names that go with the rows: noted before, and each time it is looked."""

    event_id: int
    people: list[int]
    sessions: list[str]
    seeds: list[str]
    orders: set[str] = field(default_factory=set)
    payments: set[str] = field(default_factory=set)
    refunds: set[str] = field(default_factory=set)

    @property
    def keys(self) -> store.Traces:
        people, sessions = frozenset(map(str, self.people)), frozenset(self.sessions)
        return store.Traces([str(self.event_id), *self.seeds], people, sessions)

    def note(self) -> None:
        """Somebody may have been faster than the closing doors."""
        ordered = Reservation.objects.filter(event_id=self.event_id)
        paid = Payment.objects.filter(reservation__event_id=self.event_id)
        back = Refund.objects.filter(payment__in=paid)
        self.orders.update(ordered.values_list("code", flat=True))
        self.payments.update(paid.values_list("number", flat=True))
        self.refunds.update(str(key) for key in back.values_list("key", flat=True))


def clean_up(*, code: str, now: datetime) -> dict[str, int]:
    """How many rows of each kind, and keys, are left behind. Twice is fine."""
    rehearsal = _end(code, now)
    traces = _doors_shut(rehearsal, now)
    done = 0
    for _ in range(ROUNDS):
        traces.note()
        _delete(traces)
        store.sweep(traces.keys)
        left = left_behind(traces)
        done = done + 1 if is_all_that_can_go_gone(left, traces) else 0
        if done == TWICE:
            break
        sleep(PAUSE_SECONDS)
    _note(rehearsal, left, now, is_over=done > 0)
    return left


def clean_up_forgotten(*, now: datetime) -> list[str]:
    """Rehearsals whose director has not been heard for long: stopped, and cleaned up."""
    silent = Rehearsal.objects.filter(heard_at__lte=now - SILENCE)
    unfinished = silent.filter(state=Rehearsal.State.RUNNING) | silent.filter(cleaned_at=None)
    codes = list(unfinished.values_list("code", flat=True))
    for code in codes:
        stop(code=code, by=None, now=now)
    return codes


def stop(*, code: str, by: User | None, now: datetime) -> dict[str, int]:
    """By hand, or because nobody runs it any more; a report that comes later changes nothing."""
    with transaction.atomic():
        rehearsal = rehearsal_for_update(code)
        if rehearsal.state == Rehearsal.State.RUNNING:
            rehearsal.move_to(Rehearsal.State.STOPPED)
            rehearsal.finished_at = now
            rehearsal.save(update_fields=["state", "finished_at"])
            _audit_stop(rehearsal, by, now)
    return clean_up(code=code, now=now)


def _audit_stop(rehearsal: Rehearsal, by: User | None, now: datetime) -> None:
    log.info("rehearsal %s was stopped by %s", rehearsal, by or "the system")
    if rehearsal.source_id:
        about = {"what": "rehearsal", "before": rehearsal.code, "after": "stopped"}
        record_change(event_id=rehearsal.source_id, by=by, now=now, **about)


def left_behind(traces: Traces) -> dict[str, int]:
    found = leftovers.count(traces.event_id, traces.people)
    messages = OutboxMessage.objects.filter(body__event=traces.event_id)
    found["payments.OutboxMessage"] = messages.count()
    told = WebhookReceipt.objects.filter(number__in=traces.payments)
    found["payments.WebhookReceipt"] = told.count()
    if gateway_ledger.is_here():
        found["sandbox"] = gateway_ledger.remembered(traces.payments)
    found["redis"] = store.count(traces.keys)
    return dict(sorted(found.items()))


def is_all_that_can_go_gone(left: dict[str, int], traces: Traces) -> bool:
    """Who has something of a real event stays, with that: it would not go tomorrow either."""
    staying = leftovers.count_of_those_who_stay(traces.people)
    return all(count == staying[name] for name, count in left.items())


@transaction.atomic
def _end(code: str, now: datetime) -> Rehearsal:
    """From here on the stage refuses everything else."""
    rehearsal = rehearsal_for_update(code)
    if rehearsal.ended_at is None:
        rehearsal.ended_at = now
        rehearsal.save(update_fields=["ended_at"])
    return rehearsal


def _doors_shut(rehearsal: Rehearsal, now: datetime) -> Traces:
    """Whoever still calls is refused: not logged in, the line is closed, nothing is on sale."""
    users = User.objects.filter(email__endswith=rehearsal.domain)
    people = list(users.values_list("pk", flat=True))
    sessions = accounts.end_sessions(user_ids=people)
    if gateway_ledger.is_here():
        gateway_ledger.make_weather()
    seeds = _line_closed(rehearsal.copy, now)
    return Traces(rehearsal.copy, people, sessions, seeds)


def _line_closed(event_id: int, now: datetime) -> list[str]:
    """The names under which its draw was published; none if it is gone already."""
    queue = SaleQueue.objects.filter(pk=event_id).first()
    if queue is None:
        return []
    with suppress(IllegalMove, NotFound):  # it is closed, perhaps by another clean-up just now
        queues.move_queue(event_id=event_id, to=SaleQueue.State.CLOSED, by=None, now=now)
    with suppress(IllegalMove, NotFound):
        events.move_event(event_id=event_id, to=Event.State.CLOSED, by=None, now=now)
    queues.send_closing_message(event_id=event_id, now=now)
    return [queue_selectors.seed_hash(queue.seed)]


def _delete(traces: Traces) -> None:
    """A worker in the middle of a payment may be in the way: the next round finds it done."""
    try:
        _delete_rows(traces)
        if gateway_ledger.is_here():
            gateway_ledger.forget(traces.payments, traces.refunds)
    except DatabaseError as clash:
        log.warning("rehearsal %s: not everything could be deleted yet: %s", traces.event_id, clash)


@transaction.atomic
def _delete_rows(traces: Traces) -> None:
    _lock(traces.event_id)
    _say_so(traces.event_id)
    aggregates = [f"reservation:{code}" for code in traces.orders]
    OutboxMessage.objects.filter(aggregate__in=aggregates)._raw_delete("default")
    WebhookReceipt.objects.filter(number__in=traces.payments)._raw_delete("default")
    leftovers.delete_rows_of_event(traces.event_id)
    leftovers.delete_people(traces.people)


def _lock(event_id: int) -> None:
    """Nobody can write anything new about the event from here on."""
    with suppress(NotFound):
        event_for_update(event_id)


def _say_so(event_id: int) -> None:
    """To the audit, whose trigger lets nothing else go; ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('ticketing.rehearsal_over', %s, true)", [str(event_id)])


def _note(rehearsal: Rehearsal, left: dict[str, int], now: datetime, *, is_over: bool) -> None:
    """Once it is over the next one may begin, whatever had to stay."""
    cleaned = (rehearsal.cleaned_at or now) if is_over else None
    Rehearsal.objects.filter(pk=rehearsal.pk).update(left_behind=left, cleaned_at=cleaned)
    log.info("rehearsal %s: cleaned up, %s left behind", rehearsal, sum(left.values()))
