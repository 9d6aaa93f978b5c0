"""The line in Redis: one function for each decision that a script takes."""

from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from ticketing.core import redis
from waiting_queue import keys
from waiting_queue.scripts import ScriptCall, T, arun_all, run, run_all, script
from waiting_queue.tick_message import TickMessage
from waiting_queue.tokens import QueueToken

# People whom one tick calls, and whom it takes out, at most: Redis is never kept busy for long.
TICK_BATCH = 500
SWEEP_BATCH = 200
# People of whom one pulse tells, and whom one script looks after: the same reason.
NEWS_BATCH = 5_000
PART = 200
KEPT_SECONDS = 3600
# As the script answers.
PULSE_FIELDS = (
    *("turn", "epoch", "queue_state", "drawing", "absence_ms", "head", "last"),
    *("waiting", "lobby", "ready", "inside", "admitted"),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a person is, and what the line looks like around them."""

    state: str
    number: int
    ahead: int
    deadline_ms: int
    admitted_ms: int
    waiting: int
    lobby: int
    queue_state: str
    fast: float
    slow: float
    epoch: str
    lines_allowed: int
    absence_ms: int
    just_joined: bool = False


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """What became of a request, and where the person stands now."""

    word: str
    standing: Standing | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the scripts need to know of a queue, in their units."""

    epoch: str
    state: str
    drawing: bool
    capacity: int
    rate: float
    cap: int
    claim_ms: int
    pass_ms: int
    pass_max_ms: int
    absence_ms: int
    lines_allowed: int

    def as_args(self) -> list[Any]:
        flags = [self.epoch, self.state, int(self.drawing), self.capacity, self.rate, self.cap]
        times = [self.claim_ms, self.pass_ms, self.pass_max_ms, self.absence_ms]
        return [*flags, *times, self.lines_allowed]


@dataclass(frozen=True, slots=True)
class Ticked:
    """What one tick did, and the sizes it left behind."""

    lost: bool
    called: list[str]
    expired: int = 0
    absent: int = 0
    lobby: int = 0
    waiting: int = 0
    ready: int = 0
    inside: int = 0
    more: bool = False

    def after(self, before: "Ticked") -> "Ticked":
        """Two rounds of one tick, told as one."""
        if self.lost:
            return self
        return replace(
            self,
            called=before.called + self.called,
            expired=before.expired + self.expired,
            absent=before.absent + self.absent,
        )


# Steps of which each may depend on the answers to the one before; told apart from how they are
# carried out, so that threads and coroutines share one description.
Program = Generator[Sequence[ScriptCall[Any]], list[Any], T]


def perform(program: Program[T]) -> T:
    """Carry out a program from a thread."""
    client = redis.queue_client()
    try:
        steps = next(program)
        while True:
            steps = program.send(raised(run_all(client, steps)))
    except StopIteration as end:
        return end.value


async def aperform(program: Program[T]) -> T:
    """Carry out a program from a coroutine."""
    client = redis.async_queue_client()
    try:
        steps = next(program)
        while True:
            steps = program.send(await arun_all(client, steps))
    except StopIteration as end:
        return end.value


def raised(answers: list[Any]) -> list[Any]:
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def take(decision: ScriptCall[T]) -> T:
    return run(redis.queue_client(), decision)


def take_all(decisions: Sequence[ScriptCall[Any]]) -> list[Any]:
    """Answers, or in its place the exception of a decision that failed."""
    return run_all(redis.queue_client(), decisions)


def join(event_id: int, person: str, now: datetime) -> ScriptCall[ScriptResult]:
    return _decision("join", event_id, [person, ms(now)], _verdict)


def touch(
    event_id: int, person: str, now: datetime, *, held: QueueToken | None = None
) -> ScriptCall[Standing | None]:
    """None if the token they hold is of an earlier stay."""
    args = [person, ms(now), *_stay(held)]
    return _decision("touch", event_id, args, _standing_if_any)


def look(event_id: int, person: str, now: datetime) -> ScriptCall[Standing]:
    return _decision("look", event_id, [person, ms(now)], _standing)


def claim(
    event_id: int, person: str, now: datetime, *, held: QueueToken | None = None
) -> ScriptCall[ScriptResult]:
    return _decision("claim", event_id, [person, ms(now), *_stay(held)], _verdict)


def leave(
    event_id: int,
    person: str,
    now: datetime,
    *,
    how: str = "left",
    why: str = "",
    held: QueueToken | None = None,
) -> ScriptCall[str]:
    return _decision("leave", event_id, [person, ms(now), how, why, *_stay(held)], str)


def tick(
    event_id: int,
    rules: Rules,
    now: datetime,
    *,
    batch: int = TICK_BATCH,
    sweep: int = SWEEP_BATCH,
) -> ScriptCall[Ticked]:
    return _decision("tick", event_id, [ms(now), batch, sweep, *rules.as_args()], _ticked)


def begin(event_id: int, rules: Rules, now: datetime, *, new: bool = False) -> ScriptCall[int]:
    return _decision("begin", event_id, [ms(now), int(new), *rules.as_args()], int)


def draw(event_id: int, people: Sequence[str], first_number: int, now: datetime) -> ScriptCall[int]:
    return _decision("draw", event_id, [ms(now), first_number, *people], int)


def snapshot(event_id: int) -> ScriptCall[dict[str, str]]:
    return _decision("snapshot", event_id, [], _pairs)


def pulse(event_id: int, *, most: int = NEWS_BATCH) -> ScriptCall[TickMessage | None]:
    """None while the line is being rebuilt."""
    return _decision("pulse", event_id, [most], partial(_pulse, event_id))


def beat(event_id: int, people: Sequence[str], now: datetime) -> ScriptCall[int]:
    return _decision("beat", event_id, [ms(now), *people], int)


def enlist(
    event_id: int, person: str, now: datetime, *, again: bool = False
) -> ScriptCall[dict[int, int]]:
    """The events in whose lines the person stands, in order, and since when in seconds."""
    lines, args = [keys.lines_of_person(person)], [event_id, ms(now) // 1000, int(again)]
    return ScriptCall(script("enlist"), lines, args, _since)


def delist(event_id: int, person: str, *, since: int | None = None) -> ScriptCall[int]:
    stay = [] if since is None else [since]
    return ScriptCall(script("delist"), [keys.lines_of_person(person)], [event_id, *stay], int)


# -- bulk work, outside of any decision ------------------------------------------------------------


def lobby_people(event_id: int, *, part: int = 5_000) -> list[str]:
    """Everybody in the lobby, in order of arrival, read in parts from the end.

    Who leaves meanwhile can only make us read somebody twice, never miss one.
    """
    client, lobby = redis.queue_client(), keys.key(event_id, "lobby")
    people: dict[str, float] = {}
    for start in range(client.zcard(lobby), 0, -part):
        first = max(start - part, 0)
        people |= dict(client.zrange(lobby, first, start - 1, withscores=True))
    return sorted(people, key=lambda person: (people[person], person))


def journal_entries(event_id: int, count: int) -> list[tuple[str, dict[str, str]]]:
    return redis.queue_client().xrange(keys.key(event_id, "journal"), count=count)


def forget_journal_entries(event_id: int, entries: Sequence[str]) -> None:
    redis.queue_client().xdel(keys.key(event_id, "journal"), *entries)


def restore(
    event_id: int, places: dict[str, dict[str, float]], marks: dict[str, str], counter: int
) -> None:
    """Put people back where they were; the desk comes last, and with it the queue."""
    client = redis.queue_client()
    for name, people in places.items():
        for part in batched(people.items(), 1_000):
            client.zadd(keys.key(event_id, name), dict(part))
    for part in batched(marks.items(), 1_000):
        client.hset(keys.key(event_id, "called"), mapping=dict(part))
    client.set(keys.key(event_id, "counter"), counter)


def restore_counts(event_id: int, counts: dict[str, int]) -> None:
    redis.queue_client().hset(keys.key(event_id, "desk"), mapping=counts)


def restore_blocks(event_id: int, reasons: dict[str, str]) -> None:
    if reasons:
        redis.queue_client().hset(keys.key(event_id, "blocked"), mapping=reasons)


def block_reason(event_id: int, person: str) -> str | None:
    return redis.queue_client().hget(keys.key(event_id, "blocked"), person)


def person_with_number(event_id: int, number: int) -> str | None:
    """Of those who wait."""
    line = keys.key(event_id, "line")
    found: list[str] = redis.queue_client().zrangebyscore(line, number, number, start=0, num=1)
    return found[0] if found else None


def unblock(event_id: int, person: str) -> bool:
    return bool(redis.queue_client().hdel(keys.key(event_id, "blocked"), person))


def enlist_all(event_id: int, people: Iterable[str], now: datetime) -> None:
    """Note of many people at once that they stand in this line."""
    for part in batched(people, 1_000):
        raised(take_all([enlist(event_id, person, now) for person in part]))


def desk_epoch(event_id: int) -> str | None:
    """Which beginning the line in Redis dates from; None if Redis knows of no line."""
    return redis.queue_client().hget(keys.key(event_id, "desk"), "epoch")


def has_desk(event_id: int) -> bool:
    return bool(redis.queue_client().hexists(keys.key(event_id, "desk"), "epoch"))


def take_down_desk(event_id: int) -> None:
    """From here until it is up again nobody can join."""
    redis.queue_client().delete(keys.key(event_id, "desk"))


def erase(event_id: int) -> None:
    """Nothing of an event's queue stays in Redis."""
    redis.queue_client().unlink(*keys.of_event(event_id), keys.last_pulse(event_id))


# -- for the servers that tell people where they stand ---------------------------------------------


def publish(pulses: Sequence[TickMessage]) -> None:
    """One message per event to every server; the last one is kept for those who come later.

    Sent through the Redis of the sessions: a cluster has no pub/sub for coroutines.
    """
    client, queue_client = redis.client(), redis.queue_client()
    for pulse in pulses:
        if pulse.queue_state != "closed":  # of which nothing is kept
            queue_client.set(
                keys.last_pulse(pulse.event_id), pulse.without_changes(), ex=KEPT_SECONDS
            )
        client.publish(keys.pulses(redis.database()), pulse.to_text())


def last_pulse(event_id: int) -> TickMessage | None:
    text = redis.queue_client().get(keys.last_pulse(event_id))
    return TickMessage.from_text(text) if text else None


async def alast_pulse(event_id: int) -> TickMessage | None:
    text = await redis.async_queue_client().get(keys.last_pulse(event_id))
    return TickMessage.from_text(text) if text else None


async def heard_pulses() -> AsyncIterator[str]:
    """Every pulse of every event, as text, for as long as Redis can be reached."""
    async with redis.listening(keys.pulses(redis.database())) as texts:
        async for text in texts:
            yield text


def line_numbers(event_id: int, *, part: int = 5_000) -> list[int]:
    """The numbers in line, ascending, read in parts from the end.

    Who leaves meanwhile can only make us read somebody twice, never miss one.
    """
    client, line = redis.queue_client(), keys.key(event_id, "line")
    numbers: set[int] = set()
    for start in range(client.zcard(line), 0, -part):
        scored = client.zrange(line, max(start - part, 0), start - 1, withscores=True)
        numbers.update(int(number) for _, number in scored)
    return sorted(numbers)


async def alook_all(event_id: int, people: Sequence[str], now: datetime) -> dict[str, Standing]:
    found: dict[str, Standing] = {}
    for part in batched(people, PART):
        looks = [look(event_id, person, now) for person in part]
        found |= zip(part, await arun_all(redis.async_queue_client(), looks), strict=True)
    return found


async def abeat_all(event_id: int, people: Iterable[str], now: datetime) -> None:
    """Open pages are signs of life."""
    for part in batched(people, PART):
        await arun_all(redis.async_queue_client(), [beat(event_id, part, now)])


def batched(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(things)
    while part := list(islice(rest, size)):
        yield part


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _decision(verb: str, event_id: int, args: Sequence[Any], read: Any) -> ScriptCall[Any]:
    return ScriptCall(script(verb), keys.of_event(event_id), args, read)


def _stay(held: QueueToken | None) -> list[Any]:
    """The stay for which a token speaks."""
    return [held.number, held.epoch] if held else []


def _standing_if_any(answer: list[Any]) -> Standing | None:
    return None if answer == ["revoked"] else _standing(answer)


def _standing(answer: list[Any], *, just_joined: bool = False) -> Standing:
    state, number, ahead, deadline, admitted, waiting, lobby, queue_state, *desk = answer
    fast, slow, epoch, lines_allowed, absence_ms = desk
    return Standing(
        state=state,
        number=int(number),
        ahead=int(ahead),
        deadline_ms=int(deadline),
        admitted_ms=int(admitted),
        waiting=int(waiting),
        lobby=int(lobby),
        queue_state=queue_state,
        fast=float(fast),
        slow=float(slow),
        epoch=epoch,
        lines_allowed=int(lines_allowed),
        absence_ms=int(absence_ms),
        just_joined=just_joined,
    )


def _verdict(answer: list[Any]) -> ScriptResult:
    word, *rest = answer
    if len(rest) > 1:
        return ScriptResult(word, _standing(rest, just_joined=word == "joined"))
    return ScriptResult(word, why=rest[0] if rest else "")


def _ticked(answer: list[Any]) -> Ticked:
    if answer == ["lost"]:
        return Ticked(lost=True, called=[])
    _count, expired, absent, lobby, waiting, ready, inside, more, *called = answer
    return Ticked(False, called, expired, absent, lobby, waiting, ready, inside, bool(more))


def _pulse(event_id: int, answer: list[Any]) -> TickMessage | None:
    if answer == ["lost"]:
        return None
    *told, fast, slow, news = answer
    parted = (entry.rpartition(":") for entry in news)
    people = [(person, int(number)) for person, _, number in parted]
    known = dict(zip(PULSE_FIELDS, told, strict=True))
    return TickMessage(event_id, fast=float(fast), slow=float(slow), changes=people, **known)


def _since(answer: list[Any]) -> dict[int, int]:
    return dict(zip(map(int, answer[::2]), map(int, answer[1::2]), strict=True))


def _pairs(answer: list[Any]) -> dict[str, str]:
    return dict(zip(answer[::2], map(str, answer[1::2]), strict=True))
