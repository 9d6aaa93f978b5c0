"""The processes of the site besides PostgreSQL and Valkey (docs/operations.md)."""

import sys
from dataclasses import dataclass
from enum import IntEnum

AS_ROOT = "ignore:You're running the worker with superuser privileges"


class Stop(IntEnum):
    """The order of stopping, in which nothing misses what it needs; equals stop together."""

    SCHEDULE = 1
    WEB = 2
    TICKER = 3
    WORKERS = 4
    GATEWAY = 5


@dataclass(frozen=True)
class SiteProcess:
    """`port` names the listening socket that it gets, by the setting that has its number."""

    name: str
    command: tuple[str, ...]
    stop: Stop
    stop_timeout: float = 10
    port: str = ""


def _manage(*command: str) -> tuple[str, ...]:
    return (sys.executable, "manage.py", *command)


def _celery(*command: str) -> tuple[str, ...]:
    return (sys.executable, "-W", AS_ROOT, "-m", "celery", "-q", "-A", "ticketing", *command)


def _worker(queues: str, *options: str) -> tuple[str, ...]:
    return _celery("worker", f"--queues={queues}", *options, *QUIET)


# Workers need not know of each other.
QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat")
THREADS = ("--pool=threads", "--concurrency=4")
WEB = SiteProcess("web", _manage("serve"), Stop.WEB, port="PORT")  # as many as WEB_PROCESSES
SANDBOX = SiteProcess("sandbox", _manage("sandbox"), Stop.GATEWAY, port="PAYMENTS_SANDBOX_PORT")
WORKERS = (
    SiteProcess("worker", _worker("celery,holds", *THREADS), Stop.WORKERS, 15),
    SiteProcess("payer", _worker("payments", *THREADS, "--hostname=payer@%h"), Stop.WORKERS, 15),
    SiteProcess(
        "mailer",
        _worker("mail", "--pool=threads", "--concurrency=2", "--hostname=mailer@%h"),
        Stop.WORKERS,
        15,
    ),
    SiteProcess("ticker", _worker("tick", "--pool=solo", "--hostname=ticker@%h"), Stop.TICKER, 15),
    SiteProcess("beat", _celery("beat", "--pidfile="), Stop.SCHEDULE),
)
