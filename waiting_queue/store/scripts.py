"""Lua scripts: read once, called by their hash, sent again when a server does not know them."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from hashlib import sha1
from pathlib import Path
from typing import Any, Generic, TypeVar

from redis import RedisCluster
from redis.exceptions import NoScriptError

from ticketing.core import redis
from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.redis_cluster import ClusterPipeline
from waiting_queue import keys

FOLDER = Path(__file__).parent.parent / "lua"
# These work on keys of their own; all others on an event's line, with these files in front.
WITHOUT_LINE = {
    *("add_membership", "remove_membership", "lease_pages"),
    *("count_join", "count_hold", "count_run_out"),
}
# These take people out of lobby or line, and have `_party.lua` after it.
WITH_PARTIES = {"leave", "tick", "demote", "undo_demotion", "invite", "join_party"}
# A function of a shared file ends with the `end` in the first column.
FUNCTION = re.compile(r"^(?:local )?function (\w+)\(.*?^end\n", re.MULTILINE | re.DOTALL)
NAME, COMMENT = re.compile(r"(?<![.\w])[a-z]\w*"), re.compile(r"--.*")
MORE_KEYS, STRING = re.compile(r"MORE_KEYS\[(\d+)\]"), re.compile(r"'[^']*'")
KEY_OF_CALL = re.compile(r"(redis\.call\('[A-Z]+', )(\w+)")

T = TypeVar("T")


@dataclass(frozen=True)
class Script:
    text: str
    keys: tuple[str, ...] = ()  # those of the event's line that it uses, by their names

    @cached_property
    def sha(self) -> str:
        return sha1(self.text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class ScriptCall(Generic[T]):
    """A script with its keys and arguments, and how to parse its answer."""

    script: Script
    keys: Sequence[str]
    args: Sequence[Any]
    parse: Callable[[Any], T]

    @property
    def arguments(self) -> tuple[Any, ...]:
        """As EVAL and EVALSHA take them after the script."""
        return (len(self.keys), *self.keys, *self.args)


@cache
def script(name: str) -> Script:
    line = [] if name in WITHOUT_LINE else ["_lanes", "_lane_turns", "_line", "_minutes"]
    shared = "\n".join(map(_read, [*line, *(["_party"] if name in WITH_PARTIES else [])]))
    own = _read(name)
    return _with_keys(f"{_used_part(shared, own)}\n{own}") if line else Script(own)


def _read(name: str) -> str:
    return COMMENT.sub("", (FOLDER / f"{name}.lua").read_text())


def _used_part(shared: str, own: str) -> str:
    """Return the shared code without functions that this script does not use.

    Each call of a script makes all its functions anew, which takes longer than most of them run.
    """
    names_in = {found[1]: set(NAME.findall(found[0])) for found in FUNCTION.finditer(shared)}
    used, new = set[str](), set(NAME.findall(FUNCTION.sub("", shared) + own))
    while new:
        used |= new
        new = set[str]().union(*(names_in.get(name, ()) for name in new)) - used
    return FUNCTION.sub(lambda found: found[0] if found[1] in used else "", shared)


def _with_keys(text: str) -> Script:
    """Declare the keys of the line that are used, and write `KEYS[…]` into the calls of Redis.

    Every key costs Redis as much as a short command, and a function that refers to many variables
    outside of it takes longer to make than to run. `MORE_KEYS` are those after the line's.
    """
    names = set(NAME.findall(STRING.sub("", text)))
    used = tuple(name for name in keys.NAMES if name in names)
    numbered = {name: f"KEYS[{number}]" for number, name in enumerate(used, 1)}
    text = KEY_OF_CALL.sub(lambda call: call[1] + numbered.get(call[2], call[2]), text)
    text = MORE_KEYS.sub(lambda key: f"KEYS[{len(used) + int(key[1])}]", text)
    return Script(f"local {', '.join(used)} = {', '.join(numbered.values())}\n{text}", used)


def run(call: ScriptCall[T]) -> T:
    client, arguments = redis.queue_client(), call.arguments
    try:
        answer = client.evalsha(call.script.sha, *arguments)
    except NoScriptError:
        answer = client.eval(call.script.text, *arguments)
    return call.parse(answer)


async def arun(call: ScriptCall[T]) -> T:
    client, arguments = redis.async_queue_client(), call.arguments
    try:
        answer = await client.evalsha(call.script.sha, *arguments)
    except NoScriptError:
        answer = await client.eval(call.script.text, *arguments)
    return call.parse(answer)


def run_all(calls: Sequence[ScriptCall[Any]], *, keep_failures: bool = False) -> list[Any]:
    """All of them in one round trip; raises the first failure unless they are kept."""
    client = redis.queue_client()
    if len(calls) == 1 or isinstance(client, RedisCluster):  # whose pipelines take no scripts
        answers = [_attempt(call) for call in calls]
    else:
        with client.pipeline(transaction=False) as pipe:
            for call in calls:
                pipe.evalsha(call.script.sha, *call.arguments)
            raw = pipe.execute(raise_on_error=False)
        answers = [_parse_or_retry(call, answer) for call, answer in zip(calls, raw, strict=True)]
    for answer in answers:
        if isinstance(answer, Exception) and not keep_failures:
            raise answer
    return answers


# The same, with the exception of a call that failed in the place of its answer.
run_each = partial(run_all, keep_failures=True)


async def arun_all(calls: Sequence[ScriptCall[Any]]) -> list[Any]:
    """All of them in one round trip; raises the first failure."""
    client = redis.async_queue_client()
    if isinstance(client, ClusterPipeline):  # a round trip to each node
        return await asyncio.gather(*(arun(call) for call in calls))
    sent: list[Awaitable[Any]] = [
        client.evalsha(call.script.sha, *call.arguments) for call in calls
    ]
    return [await _aparse_or_retry(call, answer) for call, answer in zip(calls, sent, strict=True)]


async def _aparse_or_retry(call: ScriptCall[Any], answer: Awaitable[Any]) -> Any:
    try:
        return call.parse(await answer)
    except NoScriptError:
        return await arun(call)


def _parse_or_retry(call: ScriptCall[Any], answer: Any) -> Any:
    if isinstance(answer, NoScriptError):
        return _attempt(call)
    return answer if isinstance(answer, Exception) else call.parse(answer)


def _attempt(call: ScriptCall[Any]) -> Any:
    try:
        return run(call)
    except REDIS_OUTAGES as failure:
        return failure
