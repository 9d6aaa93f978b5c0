"""A process's own Redis connection, and the Lua scripts."""

from functools import cache
from pathlib import Path
from typing import Any

from redis import Redis

from reservations.lab.config import RaceConfig

FOLDER = Path(__file__).parent / "lua"
# Added to the longest blocking call.
SLACK_SECONDS = 5


def connect(config: RaceConfig) -> Redis:
    timeout = config.wait + SLACK_SECONDS
    return Redis.from_url(config.redis_url, decode_responses=True, socket_timeout=timeout)


def run(redis: Redis, name: str, *, keys: list[str], args: list[Any]) -> Any:
    return _script(name)(keys=keys, args=args, client=redis)


@cache
def _script(name: str) -> Any:
    return Redis().register_script((FOLDER / f"{name}.lua").read_text())
