"""All checks of `manage.py doctor`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from ticketing.operations.selectors import configuration, database, host, processes, redis_servers
from ticketing.operations.selectors.finding import Finding

Check = Callable[[datetime], Iterator[Finding]]
CHECKS: dict[str, Check] = {
    "settings": configuration.settings_of_production,
    "gateway keys": configuration.gateway_keys,
    "mail": configuration.mail,
    "static files": configuration.static_files,
    "folders": configuration.folders,
    "listen queue": host.listen_queue_length,
    "open files": host.open_files,
    "database version": database.version,
    "database clock": database.clock_difference,
    "database connections": database.connections,
    "migrations": database.migrations,
    "Redis": redis_servers.versions_and_options,
    "Redis clock": redis_servers.clock_difference,
    "processes": processes.alive,
}


@dataclass(frozen=True)
class Report:
    check: str
    findings: tuple[Finding, ...]


def diagnose(*, now: datetime) -> Iterator[Report]:
    """Run every check; one that fails is a finding itself."""
    for name, check in CHECKS.items():
        try:
            yield Report(name, tuple(check(now)))
        except Exception as error:
            text = f"It could not be checked: {type(error).__name__}: {error}".strip()
            yield Report(name, (Finding(text, "Make it reachable and run this again."),))
