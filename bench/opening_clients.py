"""Joins and sockets as fast as the site answers: `python -m bench.opening_clients`, JSON on its
input. So many people at a time join; when all have, so many at a time open a socket, and keep it.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from bench import machine
from bench.client import own_cpu_seconds
from bench.client_loop import ClientLoop, Steps
from bench.storm_clients import Figures, Job, Person

AT_A_TIME = 100
MOST_SECONDS = 120.0


def join(person: Person) -> Steps:
    yield from person.join()
    if person.connection:
        person.connection.close()


def open_socket(person: Person) -> Steps:
    yield from person.open_socket()  # the loop keeps it open


def measure(
    loop: ClientLoop, people: list[Person], act: Callable[[Person], Steps], servers: list[int]
) -> dict[str, float]:
    """Everybody does it; the rate, and the processor time of each side in milliseconds."""
    began, web, own = time.time(), _cpu(servers), own_cpu_seconds()
    left = iter(people)
    for _ in range(AT_A_TIME):
        loop.start(_one_after_the_other(left, act), began)
    loop.run(began + MOST_SECONDS)
    took, count = time.time() - began, len(people) / 1000
    return {
        "a second": len(people) / took,
        "web CPU ms": (_cpu(servers) - web) / count,
        "load generator CPU": (own_cpu_seconds() - own) / count,
    }


def _one_after_the_other(left: Iterator[Person], act: Callable[[Person], Steps]) -> Steps:
    for person in left:
        yield from act(person)


def _cpu(servers: list[int]) -> float:
    return sum(map(machine.cpu_seconds, servers))


def run(job: Job, servers: list[int]) -> dict[str, Any]:
    loop, figures = ClientLoop(), Figures()
    people = [Person(job, loop, number, figures) for number in range(len(job.sessions))]
    joins = measure(loop, people, join, servers)
    sockets = measure(loop, people, open_socket, servers)
    if loop.failures or figures.counts:
        raise RuntimeError(f"{loop.failures[:1]} {figures.counts}")
    return {"joins": joins, "sockets": sockets}


if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps(run(Job(**given["job"]), given["servers"])))
