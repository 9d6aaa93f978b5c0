"""One line that grows to millions of people: memory, and the cost of each script on the way.

The last newcomers of each size join through the real script; the others are written as it would
have done. `python -m bench line --people 5000000` needs about 3 GB of memory and as much on disk.
"""

import resource
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bench.database import prepare_database
from bench.options import Options
from bench.queue import redis_cpu_ms, settled_memory
from bench.report import Report, Row
from bench.site import BenchSite
from waiting_queue.tick_message import TickMessage

PEOPLE = 1_000_000
SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
EVENT, FIRST = 70, 10_000_000  # ids of the same length: one packed command serves all people
PLACEHOLDER = "@" * len(str(FIRST))
JOINS, CALLED, TICKS, MEASURED = 5_000, 500, 5, 1_000


def run(options: Options) -> Report:
    site = BenchSite(replace(options, processes=0))
    report = site.report("line")
    try:
        prepare_database()
        _measure(report, options.people or PEOPLE)
    finally:
        site.stop()
    return report


def _measure(report: Report, people: int) -> None:
    """One column per size, because the line only grows."""
    scripts: dict[str, Row] = {}
    sizes: dict[str, Row] = {}
    reading: dict[str, Row] = {}
    crowd = Crowd()
    for size in (*(size for size in SIZES if size < people), people):
        costs = crowd.grow_to(size) | crowd.scripts()
        for name, value in costs.items():
            scripts.setdefault(name, {})[f"{size:,}: CPU µs"] = value
        for name, used in crowd.sizes().items():
            sizes.setdefault(name, {})[f"{size:,}: bytes"] = used
        reading[f"{size:,}"] = crowd.read()
    report.table("Redis, by people in line", scripts)
    report.table("memory and messages, by people in line", sizes)
    report.table("a server process reads the whole line", reading)


class Crowd:
    """People in one line. They join through a connection that asks for no answers."""

    def __init__(self) -> None:
        from django.conf import settings
        from redis import Redis

        from tests.waiting_queue.line import Line
        from waiting_queue import keys

        self.line = Line(EVENT).begin(
            state="paused",
            rate=CALLED,
            cap=10**7,
            capacity=10**8,
            claim_ms=10**9,
            absence_ms=10**9,
        )
        self.client: Any = Redis.from_url(settings.QUEUE_REDIS_URL)
        self.journal, self.size = keys.key(EVENT, "journal"), 0
        self.empty = settled_memory(self.client)

    def grow_to(self, size: int) -> dict[str, float]:
        """Microseconds of Redis per newcomer."""
        from waiting_queue import store

        self._fill(range(FIRST + self.size, FIRST + size - JOINS))
        people, self.size = range(FIRST + size - JOINS, FIRST + size), size
        calls = {
            "join": store.join(EVENT, PLACEHOLDER, self.line.now),
            "note of the membership": store.add_membership(EVENT, PLACEHOLDER, self.line.now),
        }
        spent = {name: self._microseconds(call, people) / JOINS for name, call in calls.items()}
        self.client.xtrim(self.journal, 0)  # as after its copy to PostgreSQL
        return spent

    def _fill(self, people: range) -> None:
        """What the scripts would have written, in commands of a thousand people."""
        from waiting_queue import keys, store

        since = f"{EVENT}:{store.ms(self.line.now) // 1000}"
        for part in store.batched(people, 1_000):
            numbers = {str(person): person - FIRST + 1 for person in part}
            seen: dict[str, float] = dict.fromkeys(numbers, store.ms(self.line.now))
            store.restore(EVENT, {"line": numbers, "seen": seen}, {}, max(numbers.values()))
            self._send(["SET", keys.memberships(PLACEHOLDER), since, "EX", 86_400], part)

    def scripts(self) -> dict[str, float]:
        """Microseconds of Redis per call. Those who poll are last, those who leave in between."""
        from waiting_queue import store

        last, middle, now = FIRST + self.size, FIRST + self.size // 2, self.line.now
        poll, leave = store.poll(EVENT, PLACEHOLDER, now), store.leave(EVENT, PLACEHOLDER, now)
        costs = self._ticks()
        costs["poll"] = self._microseconds(poll, range(last - MEASURED, last)) / MEASURED
        people = [str(person) for person in range(last - MEASURED, last)]
        before = redis_cpu_ms()
        for part in store.batched(people, 200):
            store.run(store.heartbeat(EVENT, part, now))
        costs["heartbeat, of 200 in a call"] = 1000 * (redis_cpu_ms() - before) / MEASURED
        costs["leave"] = self._microseconds(leave, range(middle, middle + MEASURED)) / MEASURED
        while _tick_message().changes:
            pass
        return costs

    def _ticks(self) -> dict[str, float]:
        self.line.tick(state="open")
        ticking = telling = 0.0
        for _ in range(TICKS):
            self.line.wait(1)
            before = redis_cpu_ms()
            while self.line.tick().more:
                pass
            between = redis_cpu_ms()
            self.message = _tick_message()
            ticking, telling = ticking + between - before, telling + redis_cpu_ms() - between
        self.line.tick(state="paused")
        return {
            f"tick that calls {CALLED:,}": 1000 * ticking / TICKS,
            "its message": 1000 * telling / TICKS,
        }

    def sizes(self) -> Row:
        used = settled_memory(self.client) - self.empty
        waiting = self.line.sizes()[0]
        return {
            "a person in line": round(used / waiting),
            "all of them": used,
            f"the message of a tick that calls {CALLED:,}": len(self.message.to_text()),
            "the message of a tick that calls nobody": len(self.message.without_changes()),
        }

    def read(self) -> Row:
        """What a server process does when it starts to follow the line, or has missed a message."""
        from waiting_queue import store

        redis, began = redis_cpu_ms(), time.process_time()
        numbers = store.line_numbers(EVENT)
        return {
            "people": len(numbers),
            "CPU ms": 1000 * (time.process_time() - began),
            "Redis: CPU ms": redis_cpu_ms() - redis,
            "most memory so far, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }

    def _microseconds(self, call: Any, people: Iterable[int]) -> float:
        """Of Redis, for one call per person."""
        self.client.script_load(call.script.text)
        before = redis_cpu_ms()
        self._send(["EVALSHA", call.script.sha, *call.arguments], people)
        return 1000 * (redis_cpu_ms() - before)

    def _send(self, command: list[Any], people: Iterable[int]) -> None:
        """One command per person, without asking for answers; returns when all are done."""
        from waiting_queue import store

        connection = self.client.connection_pool.get_connection()
        packed, hole = b"".join(connection.pack_command(*command)), PLACEHOLDER.encode()
        connection.send_command("CLIENT", "REPLY", "OFF")
        for part in store.batched(people, 200):
            commands = b"".join(packed.replace(hole, str(one).encode()) for one in part)
            connection.send_packed_command([commands], check_health=False)
        connection.send_command("CLIENT", "REPLY", "ON")
        connection.read_response()
        self.client.connection_pool.release(connection)


def _tick_message() -> TickMessage:
    from waiting_queue import store

    message = store.run(store.tick_message(EVENT))
    assert message is not None  # as it is while the line is being rebuilt
    return message
