"""Runs strategies one after the other, with the same buyer processes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import BrokenBarrierError
from urllib.parse import urlsplit

import psycopg

from reservations.lab.config import RaceConfig
from reservations.lab.errors import NotEnoughConnections, RaceBroken
from reservations.lab.processes import ProcessFailed, ProcessGroup, process_group
from reservations.lab.results import RaceResult
from reservations.lab.roles import RaceOrder
from reservations.lab.scratch_schema import ScratchSchema, scratch_schema
from reservations.lab.strategies import EARLY, STRATEGIES

ALL = "all"
CHOICES = [*(name for name in STRATEGIES if name != EARLY), ALL]
CONNECTIONS = """
SELECT current_setting('max_connections')::int,
       current_setting('max_connections')::int
       - current_setting('superuser_reserved_connections')::int
       - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int
"""


@dataclass(frozen=True)
class RaceServers:
    """The servers of the race, without passwords."""

    database: str
    server: str
    redis: str


def chosen(choice: str, *, early_release: bool) -> list[str]:
    """The strategies to race; early release replaces `redis`, or is added to `all`."""
    if choice == ALL:
        return [name for name in STRATEGIES if early_release or name != EARLY]
    return [EARLY if early_release else choice]


def race_servers(config: RaceConfig) -> RaceServers:
    redis = urlsplit(config.redis_url)
    address = redis._replace(netloc=redis.netloc.rpartition("@")[2]).geturl()
    with psycopg.connect(config.database) as connection:
        info = connection.info
        version = info.parameter_status("server_version")
        return RaceServers(info.dbname, f"PostgreSQL {version}, {info.host}:{info.port}", address)


def race(*, strategies: Sequence[str], config: RaceConfig) -> Iterator[RaceResult]:
    """Yield each result; the schema is dropped and all processes have ended in any case."""
    workers = any(STRATEGIES[name].workers for name in strategies)
    with scratch_schema(config) as schema:
        require_connections(schema, config, workers=workers)
        try:
            with process_group(config, workers=workers) as processes:
                for name in strategies:
                    yield race_one(name, config=config, schema=schema, processes=processes)
        except (ProcessFailed, BrokenBarrierError) as error:
            raise RaceBroken(trouble=str(error) or type(error).__name__) from error


def race_one(
    name: str, *, config: RaceConfig, schema: ScratchSchema, processes: ProcessGroup
) -> RaceResult:
    strategy = STRATEGIES[name]
    schema.prepare(constraint=strategy.constraint)
    attempts, page_times, costs = processes.race(RaceOrder(name, config), workers=strategy.workers)
    return RaceResult(name, attempts, schema.sales(), page_times, costs)


def require_connections(schema: ScratchSchema, config: RaceConfig, *, workers: bool) -> None:
    needed = config.buyers + 1 + (config.workers if workers else 0)
    row = schema.connection.execute(CONNECTIONS).fetchone()
    most, free = row or (0, 0)
    if needed > free:
        raise NotEnoughConnections(buyers=config.buyers, needed=needed, free=free, most=most)
