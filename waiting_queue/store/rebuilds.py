"""Writes a line back that is rebuilt from the journal, before `configure` lets anybody join."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ticketing.core import redis
from waiting_queue import keys
from waiting_queue.store.bulk import BATCH, batched
from waiting_queue.store.results import ms


def restore_minutes(
    event_id: int, undrawn: dict[int, int], *, last: int, last_number: int, runs: bool
) -> None:
    """Before `configure` lets anybody join. `runs`: the last minute has not ended, and ends now."""
    client, meta = redis.queue_client(), keys.key(event_id, "meta")
    if undrawn:
        client.zadd(keys.key(event_id, "minutes"), {str(one): undrawn[one] for one in undrawn})
    client.hset(meta, "minute", last)
    if last_number:
        client.hset(meta, "lobby_last", last_number)
    if runs:
        client.hset(meta, "minute_ends", 1)


def restore(
    event_id: int, places: dict[str, dict[str, float]], marks: dict[str, str], counter: int
) -> None:
    """Write everybody back. The queue works again only after `configure` has written its meta."""
    client = redis.queue_client()
    for name, people in places.items():
        for part in batched(people.items(), BATCH):
            client.zadd(keys.key(event_id, name), dict(part))
    for part in batched(marks.items(), BATCH):
        client.hset(keys.key(event_id, "called"), mapping=dict(part))
    client.set(keys.key(event_id, "counter"), counter)


def restore_lane_counters(event_id: int, last_numbers: dict[int, int]) -> None:
    """The last number given in each lane but everybody's, counted within the lane."""
    if others := {f"{lane}:last": last for lane, last in last_numbers.items() if lane}:
        redis.queue_client().hset(keys.key(event_id, "lanes"), mapping=others)


def restore_counts(event_id: int, counts: dict[str, int], called: dict[int, int]) -> None:
    """How many did what, and how many were called from each lane of an event that has lanes."""
    redis.queue_client().hset(keys.key(event_id, "meta"), mapping=counts)
    if called:
        by_lane = {f"{lane}:called": count for lane, count in called.items()}
        redis.queue_client().hset(keys.key(event_id, "lanes"), mapping=by_lane)


def restore_blocks(event_id: int, reasons: dict[str, str]) -> None:
    if reasons:
        redis.queue_client().hset(keys.key(event_id, "blocked"), mapping=reasons)


def restore_demotions(event_id: int, known: dict[str, str]) -> None:
    if known:
        redis.queue_client().hset(keys.key(event_id, "demoted"), mapping=known)


def restore_parties(
    event_id: int, companions: Sequence[tuple[str, str]], now: datetime
) -> list[str]:
    """Write companions and their leaders back, in order of joining; return the companions.

    Whose leader has no place is left out: a part of what was written in one step was lost.
    """
    client = redis.queue_client()
    parties: dict[str, list[str]] = {}
    for person, leader in companions:
        parties.setdefault(leader, []).append(person)
    for leader in list(parties):
        places = (client.zscore(keys.key(event_id, name), leader) for name in ("line", "lobby"))
        if not any(place is not None for place in places):
            del parties[leader]
    if parties:
        leaders = {person: leader for leader, people in parties.items() for person in people}
        client.hset(keys.key(event_id, "companions"), mapping=leaders)
        client.zadd(keys.key(event_id, "seen"), dict.fromkeys(leaders, ms(now)))
        joined = {leader: " ".join(people) for leader, people in parties.items()}
        client.hset(keys.key(event_id, "parties"), mapping=joined)
    return [person for people in parties.values() for person in people]


def restore_lots(event_id: int, lots: Iterable[tuple[int, str, str]]) -> None:
    """Pool, person listed and who has their place, of places handed over before a draw."""
    for pool, listed, heir in lots:
        fields = {f"@{pool}:{listed}": heir, f"={pool}:{heir}": listed}
        redis.queue_client().hset(keys.key(event_id, "parties"), mapping=fields)


def continue_line(event_id: int, last_numbers: dict[int, int], blocked: dict[str, str]) -> None:
    """For a line that is opened again: numbers go on, and who was blocked stays blocked."""
    redis.queue_client().set(keys.key(event_id, "counter"), last_numbers[0])
    restore_lane_counters(event_id, last_numbers)
    restore_blocks(event_id, blocked)
