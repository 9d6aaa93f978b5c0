"""A process's own way to Redis, and the scripts of the laboratory."""

from functools import cache
from pathlib import Path
from typing import Any

from redis import Redis

from reservations.lab.terms import Terms

FOLDER = Path(__file__).parent / "lua"
# More than Redis takes to answer after the longest wait that was asked for.
SLACK_SECONDS = 5


def connect(terms: Terms) -> Redis:
    patience = terms.wait + SLACK_SECONDS
    return Redis.from_url(terms.redis_url, decode_responses=True, socket_timeout=patience)


def run(redis: Redis, verb: str, *, keys: list[str], args: list[Any]) -> Any:
    return _script(verb)(keys=keys, args=args, client=redis)


@cache
def _script(verb: str) -> Any:
    return Redis().register_script((FOLDER / f"{verb}.lua").read_text())
