"""A line that Redis lost is rebuilt from the journal."""

import logging
import secrets
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from waiting_queue import store
from waiting_queue.keys import LANE_NUMBERS, LOBBY_LANE
from waiting_queue.locks import queue_for_update
from waiting_queue.models import Lane, MinuteDraw, QueueDraw, QueueJournal, SaleQueue
from waiting_queue.selectors import called_by_lane
from waiting_queue.services.audit_log import blocked_people
from waiting_queue.services.bypasses import write_bypasses
from waiting_queue.services.demotions import restore_demotions
from waiting_queue.services.journal import BATCH, ENDINGS, drain_journal, last_entries
from waiting_queue.services.rules import is_drawing, rules_of
from waiting_queue.services.verification_requests import write_unverified

log = logging.getLogger(__name__)
# More than can be given between two copies of the journal. Ranks don't count gaps.
MAX_LOST_NUMBERS = 100_000
Kind = QueueJournal.Kind


def rebuild_queue(*, event_id: int, now: datetime, even_whole: bool = False) -> int | None:
    """Rebuild a line from the journal, everybody with their number; return how many people.

    None if it is whole, because another worker has rebuilt it meanwhile, or if Redis lost it again:
    the next tick finds that.
    """
    if not _take_down(event_id, even_whole):
        return None
    while drain_journal(event_id=event_id, wait=True):
        pass
    _set_numbers_aside(event_id)
    return _restore(event_id, now)


@transaction.atomic
def _take_down(event_id: int, even_whole: bool) -> bool:
    """Remove the line's metadata, which is written last: nobody joins without, and gets lost.

    Under the lock of the queue, so that a line which was just rebuilt is not taken down again.
    """
    queue = queue_for_update(event_id)
    if not even_whole and store.epoch_of(event_id) == queue.epoch:
        return False
    store.delete_meta(event_id)
    return True


@transaction.atomic
def _set_numbers_aside(event_id: int) -> None:
    """Numbers that were given and lost with Redis are not given again.

    Committed before the next one is given: Redis may lose it, too, before it is journalled.
    """
    queue = queue_for_update(event_id)
    if store.has_meta(event_id):  # another worker has rebuilt it meanwhile
        return
    queue.numbers_from = max(last_numbers(event_id).values()) + MAX_LOST_NUMBERS
    queue.save(update_fields=["numbers_from"])


@transaction.atomic
def _restore(event_id: int, now: datetime) -> int | None:
    queue = queue_for_update(event_id)
    if store.has_meta(event_id) or store.journal_entries(event_id, 1):
        return None
    store.erase(event_id)
    mark = secrets.token_urlsafe(9)
    store.run(store.begin_rebuild(event_id, mark))
    given = last_numbers(event_id)
    count, counter = 0, given[0]
    of_parties: list[QueueJournal] = []
    store.restore(event_id, {}, {}, counter)
    store.restore_lane_counters(event_id, given)
    gathered: set[int] = set()
    for people in store.batched(last_entries(event_id), BATCH):
        places, marks = places_of(queue, people, now)
        store.restore(event_id, places, marks, counter)
        for name in ("lobby", "line", "ready", "inside"):
            store.add_memberships(event_id, places[name], now)
        gathered |= {max(-entry.number, 0) for entry in people if _is_in_lobby(entry)}
        of_parties += [entry for entry in people if entry.kind in (Kind.COMPANION, Kind.LEAD)]
        count += len(people)
    _restore_parties(event_id, of_parties, now)
    store.restore_blocks(event_id, blocked_people(event_id))
    restore_minutes(queue, gathered)
    if 0 in gathered:  # as there, of the opening
        QueueDraw.objects.filter(pk=event_id).exclude(people=None).update(finished_at=None)
    restore_demotions(event_id)
    queue.epoch = secrets.token_urlsafe(9)
    rules = rules_of(queue, drawing=is_drawing(event_id))
    if store.run(store.configure(event_id, rules, now, rebuild=mark)) < 0:
        log.warning("queue %s: Redis lost the line again while it was rebuilt", event_id)
        return None
    queue.save(update_fields=["epoch"])
    called = called_by_lane(event_id) if rules.lanes else {}
    store.restore_counts(event_id, counts_of(event_id), called)
    write_bypasses(event_id)
    write_unverified(event_id)
    log.warning("queue %s: rebuilt from the journal, %s people", event_id, count)
    return count


def _restore_parties(event_id: int, entries: list[QueueJournal], now: datetime) -> None:
    """In order of joining; with a new leader, in that of the entries that name them."""
    named = sorted((one for one in entries if one.leader is not None), key=lambda one: one.pk)
    companions = [one for one in named if one.kind == Kind.COMPANION]
    pairs = [(str(one.person), str(one.leader)) for one in companions]
    store.add_memberships(event_id, store.restore_parties(event_id, pairs, now), now)
    heirs = [one for one in named if one.kind == Kind.LEAD]
    lots = [(max(-one.number, 0), str(one.leader), str(one.person)) for one in heirs]
    store.restore_lots(event_id, lots)


def last_numbers(event_id: int) -> dict[int, int]:
    """Return the last number of each lane that is given, reserved for a draw, or set aside."""
    entries = QueueJournal.objects.filter(event_id=event_id, number__gt=0).order_by()
    highest = entries.annotate(lane=F("number") / LANE_NUMBERS).values_list("lane")
    given = {lane: last % LANE_NUMBERS for lane, last in highest.annotate(Max("number"))}
    draw = QueueDraw.objects.filter(pk=event_id).first()
    reserved = draw.first_number + len(draw.people or []) - 1 if draw else 0
    set_aside = SaleQueue.objects.values_list("numbers_from", flat=True).get(pk=event_id)
    reserved = max(reserved, _last_number_of_minutes(event_id), set_aside)
    lanes = {0, *given, *Lane.objects.filter(queue_id=event_id).values_list("number", flat=True)}
    return {lane: max(given.get(lane, 0), reserved) for lane in lanes}


def _last_number_of_minutes(event_id: int) -> int:
    draws = MinuteDraw.objects.filter(queue_id=event_id)
    return draws.aggregate(last=Max(F("first_number") + F("size") - 1))["last"] or 0


def restore_minutes(queue: SaleQueue, gathered: Collection[int] = ()) -> None:
    """Bring back what Redis knew of the minutes; the one that ran ends at the next tick.

    Only the last one can have run: a minute begins after the one before has ended. Where people are
    still gathered, the numbers that a finished draw gave were lost, and are given again.
    """
    if not queue.minute_secrets:
        return
    draws = MinuteDraw.objects.filter(queue=queue).order_by("minute")
    ended = draws.aggregate(Max("minute"))["minute__max"] or 0
    joins = QueueJournal.objects.filter(event_id=queue.pk, kind=Kind.LOBBY, number__lt=0)
    last = max(ended, -(joins.aggregate(Min("number"))["number__min"] or 0))
    lost = Q(finished_at=None) | Q(minute__in=gathered)
    undrawn = dict(draws.filter(lost).values_list("minute", "first_number"))
    last_number = _last_number_of_minutes(queue.pk)
    store.restore_minutes(queue.pk, undrawn, last=last, last_number=last_number, runs=last > ended)


def counts_of(event_id: int) -> dict[str, int]:
    """Return how many people have joined, been admitted and ended in each way so far."""
    entries = QueueJournal.objects.filter(event_id=event_id).order_by()
    by_kind = dict(entries.values_list("kind").annotate(Count("pk")))
    drawn = QueueDraw.objects.filter(pk=event_id).exclude(people=None).first()
    joins = entries.filter(kind=Kind.JOIN).annotate(in_lane=F("number") % LANE_NUMBERS)
    # People who were drawn have two entries, but joined once.
    drawn_joins = _joins_of_minutes(event_id, joins).count()
    if drawn:
        numbers = (drawn.first_number, drawn.first_number + len(drawn.people or []) - 1)
        drawn_joins += joins.filter(in_lane__range=numbers).count()
    joined = by_kind.get(Kind.LOBBY, 0) + by_kind.get(Kind.JOIN, 0) - drawn_joins
    ends = {str(name): by_kind.get(name, 0) for name in ENDINGS}
    joined += entries.filter(kind=Kind.COMPANION).values("person").distinct().count()
    special = {
        "bypassed": by_kind.get(Kind.BYPASS, 0),
        "parties": by_kind.get(Kind.COMPANION, 0),
        "demotions": by_kind.get(Kind.DEMOTED, 0),
    }
    counts = {"joined": joined, "admitted": by_kind.get(Kind.ADMIT, 0), **ends}
    return counts | {name: count for name, count in special.items() if count}


def _joins_of_minutes(event_id: int, joins: QuerySet[QueueJournal]) -> QuerySet[QueueJournal]:
    minutes = MinuteDraw.objects.filter(
        queue_id=event_id,
        first_number__lte=OuterRef("number"),
        first_number__gt=OuterRef("number") - F("size"),
    )
    return joins.filter(Exists(minutes))


def places_of(
    queue: SaleQueue, people: list[QueueJournal], now: datetime
) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Return the sorted sets and the marks to restore.

    Calls and passes start anew, so that nobody loses time to the outage.
    """
    places: dict[str, dict[str, float]] = defaultdict(dict)
    marks: dict[str, str] = {}
    claim_until = store.ms(now + timedelta(seconds=queue.claim_seconds))
    pass_until = store.ms(now + timedelta(seconds=queue.pass_seconds))
    for entry in people:
        person, at = str(entry.person), store.ms(entry.at)
        match entry.kind:
            case Kind.LOBBY | Kind.LEAD if _is_in_lobby(entry):
                places["lobby"][person] = _lobby_score(entry)
                places["seen"][person] = store.ms(now)
            case Kind.JOIN | Kind.LEAD | Kind.DEMOTED | Kind.RESTORED | Kind.BYPASS:
                places["line"][person] = entry.number
                places["seen"][person] = store.ms(now)
            case Kind.READY:
                places["ready"][person] = claim_until
                marks[person] = _mark(entry, 0)
            case Kind.ADMIT:
                places["inside"][person] = pass_until
                marks[person] = _mark(entry, at)
            case Kind.COMPANION:
                pass  # they have the place of their leader
            case ended:
                places["ended"][person] = at * 8 + ENDINGS[Kind(ended)]
    return places, marks


def _is_in_lobby(entry: QueueJournal) -> bool:
    """Before the opening (the number says the lane only), or in a minute that is not drawn yet."""
    is_undrawn = entry.number < 0 or entry.number % LANE_NUMBERS == 0
    return entry.kind in (Kind.LOBBY, Kind.LEAD) and is_undrawn


def _lobby_score(entry: QueueJournal) -> int:
    if entry.number < 0:
        return store.MINUTES_FROM - entry.number
    return entry.number // LANE_NUMBERS * LOBBY_LANE + store.ms(entry.at)


def _mark(entry: QueueJournal, admitted_ms: int) -> str:
    mark = f"{entry.number}:{admitted_ms}"
    return f"{mark}:{entry.leader}" if entry.leader is not None else mark
