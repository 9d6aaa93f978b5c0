"""Signals that other apps receive, and the signals that are kept with a place in line."""

import logging
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.dispatch import Signal

from ticketing.core import clock
from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.ttl_cache import clearable
from ticketing.events.models import Event
from waiting_queue import store
from waiting_queue.models import PlaceSignals

# Asked while seats run out: how many people inside have seats already, and so take none of those
# that are left. event_ids; a receiver returns the number of each event.
holders_wanted = Signal()

log = logging.getLogger(__name__)
BATCH, MAX_BATCHES = 1_000, 20
REFUSED = "refused"  # signal: joined without the identity that the event asks for, and has no place
MAX_KNOWN = 100_000
_known_refusals: dict[tuple[int, str], bool] = clearable({})


def record_signals(event_id: int, person: str, signals: Mapping[str, Any]) -> None:
    """Keep what a place was joined with. Never raises: a place does not depend on it."""
    try:
        store.add_signals(_fields(event_id, person, signals))
    except REDIS_OUTAGES as outage:
        log.warning("queue %s: signals were not recorded: %s", event_id, outage)


def record_signals_later(event_id: int, person: str, signals: Mapping[str, Any]) -> None:
    """The same from a coroutine, which does not wait for it."""
    store.add_signals_later(_fields(event_id, person, signals))


def record_refused(event_id: int, person: str, signals: Mapping[str, Any]) -> None:
    """Keep who tried to join without the identity that the event asks for."""
    if _is_first_refusal(event_id, person):
        record_signals(event_id, person, _refused(event_id, person, signals))


def record_refused_later(event_id: int, person: str, signals: Mapping[str, Any]) -> None:
    """The same from a coroutine, which does not wait for it."""
    if _is_first_refusal(event_id, person):
        record_signals_later(event_id, person, _refused(event_id, person, signals))


def drain_signals() -> int:
    """Copy them to PostgreSQL. After a crash, or by two workers, a batch may be copied twice, which
    changes nothing."""
    drained = 0
    for _ in range(MAX_BATCHES):
        found = store.oldest_signals(BATCH)
        if not found:
            break
        known = Event.objects.filter(pk__in={fields["event"] for _, fields in found})
        events = set(known.values_list("pk", flat=True))  # a rehearsal's may be gone already
        rows = [_row(entry, fields) for entry, fields in found if fields["event"] in events]
        PlaceSignals.objects.bulk_create(rows, ignore_conflicts=True)
        store.delete_signals([entry for entry, _ in found])
        drained += len(found)
    return drained


def record_run_outs(*, event_id: int, people: Collection[int]) -> None:
    """Holds of these people ran out: whoever does that again and again has to cool down.

    It counts for their browser and range of addresses, too, as of when they joined.
    """
    rows = PlaceSignals.objects.filter(event_id=event_id, person__in=people).order_by("id")
    latest = {row.person: row for row in rows}
    for person in people:
        row = latest.get(person)
        device = row.signals.get("device", "") if row else ""
        network = row.address_range if row else ""
        try:
            counts = store.run(
                store.count_run_out(event_id, str(person), network=network, device=device)
            )
        except REDIS_OUTAGES as outage:
            log.warning("queue %s: holds that ran out were not counted: %s", event_id, outage)
            return
        if row:
            row.signals["holds_run_out"] = counts[0]
            row.save(update_fields=["signals"])


def _is_first_refusal(event_id: int, person: str) -> bool:
    """In this process, lately: whoever tries again and again can't push out what others left."""
    if len(_known_refusals) >= MAX_KNOWN:
        _known_refusals.clear()
    is_first = (event_id, person) not in _known_refusals
    _known_refusals[event_id, person] = True
    return is_first


def _refused(event_id: int, person: str, signals: Mapping[str, Any]) -> dict[str, Any]:
    """With a name of its own, so that it is one row whichever processes wrote it."""
    return {**signals, REFUSED: True, "entry": f"r:{event_id:x}:{int(person):x}"}


def _fields(event_id: int, person: str, signals: Mapping[str, Any]) -> dict[str, Any]:
    return {"event": event_id, "person": int(person), "at": clock.now().isoformat(), **signals}


def _row(entry: str, fields: dict[str, Any]) -> PlaceSignals:
    return PlaceSignals(
        entry=fields.pop("entry", entry),
        event_id=fields.pop("event"),
        person=fields.pop("person"),
        at=datetime.fromisoformat(fields.pop("at")),
        address_range=fields.pop("address_range", ""),
        signals=fields,
    )
