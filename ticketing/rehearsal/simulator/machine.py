"""The machine that a rehearsal runs on, and how busy its processes are."""

import os
import platform
import time
from pathlib import Path

from ticketing.rehearsal.simulator.process_control import ProcessControl

SEARCH_SECONDS = 10.0
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def machine() -> dict[str, object]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpus": os.cpu_count(),
        "memory_mb": memory // 2**20,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
    }


class CpuLoad:
    """Cores in use by role since the last call; of the simulator and of a throw-away site."""

    def __init__(self, processes: ProcessControl | None) -> None:
        self.processes = processes
        self._seconds: dict[int, float] = {}
        self._asked_at = time.monotonic()
        self._pids: dict[str, list[int]] = {}
        self._searched_at = -SEARCH_SECONDS

    def now(self) -> dict[str, float]:
        at = time.monotonic()
        elapsed, self._asked_at = max(at - self._asked_at, 0.001), at
        # Searched for now and then: that takes a look at every process of the machine.
        if self.processes and at - self._searched_at >= SEARCH_SECONDS:
            self._pids = {name: self.processes.pids(name) for name in self.processes.roles}
            self._searched_at = at
        pids = {"simulator": [os.getpid()]} | self._pids
        return {role: round(self._since(own) / elapsed, 2) for role, own in pids.items()}

    def _since(self, pids: list[int]) -> float:
        spent = 0.0
        for pid in pids:
            total = _cpu_seconds(pid)
            spent += max(0.0, total - self._seconds.get(pid, total))
            self._seconds[pid] = total
        return spent


def _cpu_seconds(pid: int) -> float:
    """CPU time of a process and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / CLOCK_TICKS
