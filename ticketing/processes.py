"""The processes of the site besides PostgreSQL and Redis, for `make run` and all of `deploy/`.

`python -m ticketing.processes worker` becomes that process; without a name it lists them.
"""

import os
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
    """`port` names the listening socket that it gets, by the setting that has its number.

    A worker has so many `threads`, each with a connection to the database.
    """

    name: str
    arguments: tuple[str, ...]
    stop: Stop
    stop_timeout: float = 10
    port: str = ""
    threads: int = 1

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, "-W", AS_ROOT, *self.arguments)


def _celery(*command: str) -> tuple[str, ...]:
    return ("-m", "celery", "-q", "-A", "ticketing", *command)


def _worker(name: str, queues: str, threads: int, stop: Stop = Stop.WORKERS) -> SiteProcess:
    pool = ("--pool=threads", f"--concurrency={threads}") if threads > 1 else ("--pool=solo",)
    options = (f"--queues={queues}", *pool, f"--hostname={name}@%h", *QUIET)
    return SiteProcess(name, _celery("worker", *options), stop, 15, threads=threads)


# Workers need not know of each other.
QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat")
WEB = SiteProcess("web", ("manage.py", "serve"), Stop.WEB, port="PORT")  # one per core
SANDBOX = SiteProcess(
    "sandbox", ("manage.py", "sandbox"), Stop.GATEWAY, port="PAYMENTS_SANDBOX_PORT"
)
WORKERS = (
    _worker("worker", "celery,holds", threads=4),
    _worker("payer", "payments", threads=8),  # may wait for the gateway
    _worker("mailer", "mail", threads=4),  # may wait for the mail server
    _worker("ticker", "tick", threads=1, stop=Stop.TICKER),
    SiteProcess("beat", _celery("beat", "--pidfile="), Stop.SCHEDULE),
)
# On a real server; the sandbox is for development only.
PRODUCTION = (WEB, *WORKERS)
# Once per release, before the processes are replaced.
RELEASE = (("migrate", "--no-input"), ("collectstatic", "--no-input"))


def main(arguments: list[str]) -> None:
    """Become the process of this name."""
    known = {process.name: process for process in PRODUCTION}
    if not arguments:
        for process in PRODUCTION:
            print(f"{process.name:8} python {' '.join(process.arguments)}")  # noqa: T201
    elif arguments[0] not in known:
        sys.exit(f"There is no process {arguments[0]}, but {', '.join(known)}.")
    else:
        os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they load the admin; a release runs them
        command = (*known[arguments[0]].command, *arguments[1:])
        os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
