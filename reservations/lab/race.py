"""Races strategies one after the other, with the same buyers, on scratch tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import BrokenBarrierError
from urllib.parse import urlsplit

import psycopg

from reservations.lab.arena import Arena, arena
from reservations.lab.crew import Crew, CrewFailed, hired
from reservations.lab.errors import NotEnoughConnections, RaceBroken
from reservations.lab.results import Result
from reservations.lab.roles import Order
from reservations.lab.strategies import EARLY, STRATEGIES
from reservations.lab.terms import Terms

ALL = "all"
CHOICES = [*(name for name in STRATEGIES if name != EARLY), ALL]
CONNECTIONS = """
SELECT current_setting('max_connections')::int,
       current_setting('max_connections')::int
       - current_setting('superuser_reserved_connections')::int
       - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int
"""


@dataclass(frozen=True)
class Place:
    """Where it is raced, without anything secret."""

    database: str
    server: str
    redis: str


def chosen(choice: str, *, early_release: bool) -> list[str]:
    """Early release is raced instead of the lock that it spoils, or beside it."""
    if choice == ALL:
        return [name for name in STRATEGIES if early_release or name != EARLY]
    return [EARLY if early_release else choice]


def place(terms: Terms) -> Place:
    redis = urlsplit(terms.redis_url)
    nameless = redis._replace(netloc=redis.netloc.rpartition("@")[2]).geturl()
    with psycopg.connect(terms.database) as connection:
        info = connection.info
        version = info.parameter_status("server_version")
        return Place(info.dbname, f"PostgreSQL {version}, {info.host}:{info.port}", nameless)


def race(*, strategies: Sequence[str], terms: Terms) -> Iterator[Result]:
    """Whatever happens, the scratch tables are gone and the processes have ended afterwards."""
    workers = any(STRATEGIES[name].workers for name in strategies)
    with arena(terms) as scene:
        require_connections(scene, terms, workers=workers)
        try:
            with hired(terms, workers=workers) as crew:
                for name in strategies:
                    yield race_one(name, terms=terms, scene=scene, crew=crew)
        except (CrewFailed, BrokenBarrierError) as trouble:
            raise RaceBroken(trouble=str(trouble) or type(trouble).__name__) from trouble


def race_one(name: str, *, terms: Terms, scene: Arena, crew: Crew) -> Result:
    strategy = STRATEGIES[name]
    scene.prepare(constraint=strategy.constraint)
    attempts, visits, ledgers = crew.race(Order(name, terms), workers=strategy.workers)
    return Result(name, attempts, scene.sales(), visits, ledgers)


def require_connections(scene: Arena, terms: Terms, *, workers: bool) -> None:
    needed = terms.buyers + 1 + (terms.workers if workers else 0)
    row = scene.connection.execute(CONNECTIONS).fetchone()
    most, free = row or (0, 0)
    if needed > free:
        raise NotEnoughConnections(buyers=terms.buyers, needed=needed, free=free, most=most)


def is_sound(result: Result) -> bool:
    """Whether a strategy kept its promise; the ones that show what goes wrong made none."""
    return result.one_owner_per_seat or not STRATEGIES[result.strategy].sound
