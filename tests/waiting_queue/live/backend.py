"""The rest of the site as a process of its own: one call a line, one answer a line.

`python -m tests.waiting_queue.live.backend`, in the environment of the site.
"""

import json
import subprocess
import sys
from typing import Any


class Backend:
    """The test's end of it."""

    def __init__(self, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.waiting_queue.live.backend"],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, verb: str, **arguments: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([verb, arguments]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


# -- the process ----------------------------------------------------------------------------------


def another_event() -> int:
    """An event with a queue that is open, but paused."""
    from tests.making import make_event
    from ticketing.core import clock
    from waiting_queue import services

    now = clock.now()
    event = make_event(now)
    services.create_queue(event_id=event.pk, by=None, now=now)
    for state in ("open", "paused"):
        services.move_queue(event_id=event.pk, to=state, by=None, now=now)
    return event.pk


def join(event_id: int, people: list[str]) -> dict[str, str]:
    """Their tokens, by person."""
    from ticketing.core import clock
    from waiting_queue import services, store

    now = clock.now()
    answers = store.run_each([store.join(event_id, person, now) for person in people])
    found = zip(people, answers, strict=True)
    return {person: services.token_of(event_id, person, it.standing) for person, it in found}


def leave(event_id: int, person: str) -> str:
    from ticketing.core import clock
    from waiting_queue import services

    return services.leave(event_id=event_id, person=person, now=clock.now())


def tick() -> int:
    from ticketing.core import clock
    from waiting_queue import services

    return len(services.tick_open_queues(now=clock.now()))


def numbers(event_id: int) -> list[int]:
    from waiting_queue import store

    return store.line_numbers(event_id)


def listeners() -> int:
    from ticketing.core import redis
    from waiting_queue import keys

    return redis.client().pubsub_numsub(keys.tick_channel(redis.database()))[0][1]


def attempt(verb: str, arguments: dict[str, Any]) -> Any:
    try:
        return globals()[verb](**arguments)
    except Exception as failure:
        return f"failed: {failure!r}"


if __name__ == "__main__":
    import django

    django.setup()
    for line in sys.stdin:
        print(json.dumps(attempt(*json.loads(line))), flush=True)  # noqa: T201
