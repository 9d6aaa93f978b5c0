"""What a rehearsal runs on, and how busy that is."""

import os
import platform
import tomllib
from pathlib import Path

from django.conf import settings

from ticketing.core import clock
from ticketing.rehearsal.simulator.fixture import ROLES, House

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def machine() -> dict[str, object]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpus": os.cpu_count(),
        "memory_mb": memory // 2**20,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
    }


def version() -> str:
    file = Path(settings.BASE_DIR) / "pyproject.toml"
    return str(tomllib.loads(file.read_text())["project"]["version"]) if file.exists() else ""


class Load:
    """Cores in use, by role: of our own processes only, since the last time it was asked."""

    def __init__(self, house: House | None) -> None:
        self.house = house
        self._spent: dict[int, float] = {}
        self._asked_at = clock.monotonic()

    def now(self) -> dict[str, float]:
        at = clock.monotonic()
        passed, self._asked_at = max(at - self._asked_at, 0.001), at
        busy = {"crowd": self._since([os.getpid()]) / passed}
        for role in ROLES if self.house else ():
            busy[role] = self._since(self.house.pids(role) if self.house else []) / passed
        return {role: round(cores, 2) for role, cores in busy.items()}

    def _since(self, pids: list[int]) -> float:
        spent = 0.0
        for pid in pids:
            total = _seconds(pid)
            spent += max(0.0, total - self._spent.get(pid, total))
            self._spent[pid] = total
        return spent


def _seconds(pid: int) -> float:
    """Of CPU; PostgreSQL's and Celery's children are counted once they are done."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / CLOCK_TICKS
