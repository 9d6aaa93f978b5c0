"""A rehearsal is over: nothing of its event and its people stays, also while some still call."""

import logging
from dataclasses import dataclass
from datetime import datetime
from time import sleep

from django.db import DatabaseError, connection, transaction

from payments.models import OutboxMessage, Payment, Refund, WebhookReceipt
from reservations.models import Reservation
from ticketing import services as events
from ticketing.accounts import services as accounts
from ticketing.accounts.models import Session, User
from ticketing.core.errors import NotFound
from ticketing.locks import event_for_update
from ticketing.models import Event
from ticketing.rehearsal import remnants, store, till
from ticketing.rehearsal.locks import rehearsal_for_update
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.hearing import SILENCE
from ticketing.services.edits import note_edit
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

log = logging.getLogger(__name__)
# Somebody may be in the middle of something: then once more, a moment later.
ROUNDS = 8
PAUSE_SECONDS = 0.25
# What was under way when the rows went may write into Redis a moment later: so look twice.
TWICE = 2


@dataclass(frozen=True)
class Traces:
    """What is known by names that are gone with the rows: noted before."""

    event_id: int
    people: list[int]
    sessions: list[str]
    orders: list[str]
    payments: list[str]
    refunds: list[str]
    seeds: list[str]

    @property
    def keys(self) -> store.Traces:
        people, sessions = frozenset(map(str, self.people)), frozenset(self.sessions)
        return store.Traces([str(self.event_id), *self.seeds], people, sessions)


def clean_up(*, code: str, now: datetime) -> dict[str, int]:
    """How many rows of each kind, and keys, are left behind. Twice is fine."""
    rehearsal = _end(code, now)
    traces = _traces(rehearsal)
    _shut_the_doors(traces, now)
    clean = 0
    for _ in range(ROUNDS):
        _delete(traces)
        store.sweep(traces.keys)
        left = left_behind(traces)
        clean = 0 if any(left.values()) else clean + 1
        if clean == TWICE:
            break
        sleep(PAUSE_SECONDS)
    _note(rehearsal, left, now)
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
        note_edit(event_id=rehearsal.source_id, by=by, now=now, **about)


def left_behind(traces: Traces) -> dict[str, int]:
    found = remnants.count(traces.event_id, traces.people)
    messages = OutboxMessage.objects.filter(body__event=traces.event_id)
    found["payments.OutboxMessage"] = messages.count()
    told = WebhookReceipt.objects.filter(number__in=traces.payments)
    found["payments.WebhookReceipt"] = told.count()
    if till.is_here():
        found["sandbox"] = till.remembered(traces.payments)
    found["redis"] = store.count(traces.keys)
    return dict(sorted(found.items()))


@transaction.atomic
def _end(code: str, now: datetime) -> Rehearsal:
    """From here on the stage refuses everything else."""
    rehearsal = rehearsal_for_update(code)
    if rehearsal.ended_at is None:
        rehearsal.ended_at = now
        rehearsal.save(update_fields=["ended_at"])
    return rehearsal


def _traces(rehearsal: Rehearsal) -> Traces:
    users = User.objects.filter(email__endswith=rehearsal.domain)
    people = list(users.values_list("pk", flat=True))
    paid = Payment.objects.filter(reservation__event_id=rehearsal.copy)
    refunds = Refund.objects.filter(payment__in=paid).values_list("key", flat=True)
    ordered = Reservation.objects.filter(event_id=rehearsal.copy)
    seeds = SaleQueue.objects.filter(pk=rehearsal.copy).values_list("seed", flat=True)
    sessions = Session.objects.filter(user_id__in=people)
    return Traces(
        event_id=rehearsal.copy,
        people=people,
        sessions=list(sessions.values_list("session_key", flat=True)),
        orders=list(ordered.values_list("code", flat=True)),
        payments=list(paid.values_list("number", flat=True)),
        refunds=[str(key) for key in refunds],
        seeds=[queues.seed_hash(seed) for seed in seeds],
    )


def _shut_the_doors(traces: Traces, now: datetime) -> None:
    """Whoever still calls is refused: not logged in, the line is closed, nothing is on sale."""
    accounts.log_out_crowd(user_ids=traces.people)
    if till.is_here():
        till.make_weather()
    queue = SaleQueue.objects.filter(pk=traces.event_id).first()
    if queue is not None and queue.state != SaleQueue.State.CLOSED:
        queues.move_queue(event_id=traces.event_id, to=SaleQueue.State.CLOSED, by=None, now=now)
    event = Event.objects.filter(pk=traces.event_id).first()
    if event is not None and Event.State.CLOSED in event.moves:
        events.move_event(event_id=traces.event_id, to=Event.State.CLOSED, by=None, now=now)
    if queue is not None:
        queues.send_closing_pulse(event_id=traces.event_id, now=now)


def _delete(traces: Traces) -> None:
    """A worker in the middle of a payment may be in the way: the next round finds it done."""
    try:
        _delete_rows(traces)
        if till.is_here():
            till.forget(traces.payments, traces.refunds)
    except DatabaseError as clash:
        log.warning("rehearsal %s: not everything could be deleted yet: %s", traces.event_id, clash)


@transaction.atomic
def _delete_rows(traces: Traces) -> None:
    _lock(traces.event_id)
    _say_so(traces.event_id)
    aggregates = [f"reservation:{code}" for code in traces.orders]
    OutboxMessage.objects.filter(aggregate__in=aggregates)._raw_delete("default")
    WebhookReceipt.objects.filter(number__in=traces.payments)._raw_delete("default")
    remnants.delete_rows_of_event(traces.event_id)
    remnants.delete_people(traces.people)


def _lock(event_id: int) -> None:
    """Nobody can write anything new about the event from here on."""
    try:
        event_for_update(event_id)
    except NotFound:
        return


def _say_so(event_id: int) -> None:
    """To the audit, whose trigger lets nothing else go; ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('ticketing.rehearsal_over', %s, true)", [str(event_id)])


def _note(rehearsal: Rehearsal, left: dict[str, int], now: datetime) -> None:
    cleaned = None if any(left.values()) else rehearsal.cleaned_at or now
    Rehearsal.objects.filter(pk=rehearsal.pk).update(left_behind=left, cleaned_at=cleaned)
    log.info("rehearsal %s: cleaned up, %s left behind", rehearsal, sum(left.values()))
