"""Redis: version, persistence, eviction and clock."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ticketing.operations import store
from ticketing.operations.selectors.database import LONGEST_DIFFERENCE
from ticketing.operations.selectors.finding import Finding

OLDEST = {"redis": 7, "valkey": 8}


def versions_and_options(now: datetime) -> Iterator[Finding]:
    for name, info in store.facts():
        yield from (Finding(f"{name}: {it.problem}", it.advice) for it in _of_server(info))


def _of_server(info: dict[str, Any]) -> Iterator[Finding]:
    kind = "valkey" if "valkey_version" in info else "redis"
    version = str(info[f"{kind}_version"])
    if int(version.partition(".")[0]) < OLDEST[kind]:
        yield Finding(f"{kind} {version} is too old.", "Use Redis 7 or Valkey 8, or newer.")
    if not info["aof_enabled"]:
        yield Finding(
            "it writes no append-only file: a restart empties the line, which is then rebuilt.",
            "Set appendonly yes and appendfsync everysec (deploy/redis/ticketing.conf).",
        )
    if info["maxmemory_policy"] != "noeviction":
        yield Finding(
            f"with maxmemory-policy {info['maxmemory_policy']} it drops keys when it is full.",
            "Set maxmemory-policy noeviction (deploy/redis/ticketing.conf).",
        )
    if info["role"] != "master":
        yield Finding("it is a replica and refuses writes.", "Name the primary, or Sentinels.")


def clock_difference(now: datetime) -> Iterator[Finding]:
    seconds = store.clock_difference()
    if abs(seconds) > LONGEST_DIFFERENCE:
        yield Finding(
            f"The clock of Redis differs by {seconds:+.1f} s from this machine's.",
            "Let NTP set the clocks of both (timedatectl set-ntp true).",
        )
