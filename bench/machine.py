"""What every report says about its run, and the processor time of each kind of process."""

import json
import os
import platform
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
SETTINGS = ("fsync", "synchronous_commit", "full_page_writes")
PROGRAMS = {
    "postgres": "PostgreSQL",
    "valkey-server": "Valkey",
    "nginx": "nginx",
    "pgbouncer": "pooler",
}
# Kinds that a page or an order goes through; all other kinds work in the background.
FOREGROUND = frozenset({"web", "PostgreSQL", "Valkey", "runner", "outside", "sandbox"})


# -- the header -----------------------------------------------------------------------------------


def header(*, database_url: str, redis_url: str, folder: Path, processes: int) -> dict[str, Any]:
    """Durability as the servers report it, and the machine."""
    return {
        "date": date.today().isoformat(),
        "PostgreSQL": _postgres_durability(database_url),
        "Valkey": _valkey_durability(redis_url),
        "data on": filesystem(folder),
        "web processes": processes,
        "cores": os.cpu_count(),
        "Python": platform.python_version(),
        "load before": round(os.getloadavg()[0], 1),
        "commit": commit(),
    }


def _postgres_durability(url: str) -> str:
    import psycopg

    with psycopg.connect(url) as connection:
        values = [connection.execute(f"SHOW {name}").fetchone()[0] for name in SETTINGS]  # type: ignore[index]
        version = connection.info.server_version // 10_000
    return f"{version}, " + ", ".join(map(" ".join, zip(SETTINGS, values, strict=True)))


def _valkey_durability(url: str) -> str:
    import redis

    with redis.Redis.from_url(url, decode_responses=True) as client:
        found: Any = client.config_get("append*")
    return f"appendonly {found['appendonly']}, appendfsync {found['appendfsync']}"


def filesystem(folder: Path) -> str:
    """The type of the file system that holds this folder, such as ext4 or tmpfs."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    holding = [mount for mount in mounts if folder.resolve().is_relative_to(mount[1])]
    return max(holding, key=lambda mount: len(mount[1]))[2]


def commit() -> str:
    """The commit that was measured, with a plus sign if files differ from it."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], check=True, capture_output=True, text=True)
    return ran.stdout.strip()


def reference_ms() -> float:
    """Processor time of a fixed piece of work: on a busy machine everything costs more of it."""
    began = time.process_time()
    for _ in range(40):
        json.loads(json.dumps({str(number): [number] for number in range(500)}))
    return 1000 * (time.process_time() - began)


# -- processes ------------------------------------------------------------------------------------


def cpu_seconds(pid: int) -> float:
    """Of a process and of those of its children that have ended; 0 if it is gone."""
    fields = _stat(pid)
    return sum(map(int, fields[11:15])) / TICKS_PER_SECOND if fields else 0.0


def cpu_by_kind(root: int | None = None) -> Counter[str]:
    """Processor seconds so far of everything that `root`, or this process, started."""
    spent: Counter[str] = Counter()
    for kind, pids in processes_by_kind(root).items():
        spent[kind] += sum(map(cpu_seconds, pids))  # type: ignore[assignment]
    return spent


def processes_by_kind(root: int | None = None) -> dict[str, list[int]]:
    """The descendants by kind; one that has no kind of its own belongs to its parent's."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        if fields := _stat(int(stat.parent.name)):
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: dict[str, list[int]] = {}
    todo = [(pid, "other") for pid in children.get(root or os.getpid(), [])]
    while todo:
        pid, of_parent = todo.pop()
        kind = kind_of(_command(pid)) or of_parent
        found.setdefault(kind, []).append(pid)
        todo += [(child, kind) for child in children.get(pid, [])]
    return found


def kind_of(command: list[str]) -> str:
    """What a command line runs: web, worker, PostgreSQL …; empty if it is not one of ours."""
    program = command[0] if command else ""
    for name, kind in PROGRAMS.items():  # some add to their names what they are doing
        if program.startswith(name) or f"/{name}" in program:
            return kind
    for name, kind in {"serve": "web", "beat": "beat", "up": "runner"}.items():
        if name in command:
            return kind
    if "worker" in command:
        names = [part.partition("=")[2] for part in command if part.startswith("--hostname=")]
        return names[0].partition("@")[0] if names else "worker"
    if "-m" in command and "bench." in (module := command[command.index("-m") + 1]):
        return {"bench.outside": "outside", "bench.server": "web"}.get(module, "clients")
    if "manage.py" in command[:-1]:
        return command[command.index("manage.py") + 1]
    return ""


def threads(pids: list[int]) -> int:
    return sum(len(list(Path(f"/proc/{pid}/task").glob("*"))) for pid in pids)


@contextmanager
def background_paused() -> Iterator[None]:
    """Stop workers, ticker and beat for a moment, so that only the requests cause statements."""
    kinds = processes_by_kind()
    pids = [pid for kind, its in kinds.items() if kind not in FOREGROUND for pid in its]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").rstrip("\0").split("\0")
    except OSError:
        return []


def _stat(pid: int) -> list[str]:
    """The fields after the command's name: state, parent, …; empty if the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
