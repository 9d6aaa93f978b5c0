"""Lua scripts: read once, called by their hash, sent again when a server does not know them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any, Generic, TypeVar

from redis import RedisCluster
from redis.asyncio import RedisCluster as AsyncRedisCluster
from redis.exceptions import NoScriptError, RedisError

from ticketing.core import redis

FOLDER = Path(__file__).parent.parent / "lua"
# These work on a person's key; all others on an event's keys, with `_line.lua` in front.
WITHOUT_LINE = {"add_membership", "remove_membership"}

T = TypeVar("T")


@dataclass(frozen=True)
class Script:
    text: str
    sha: str


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
    text = (FOLDER / f"{name}.lua").read_text()
    if name not in WITHOUT_LINE:
        text = f"{(FOLDER / '_line.lua').read_text()}\n{text}"
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


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


def run_all(calls: Sequence[ScriptCall[Any]]) -> list[Any]:
    """All of them in one round trip; raises the first failure."""
    answers = run_each(calls)
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def run_each(calls: Sequence[ScriptCall[Any]]) -> list[Any]:
    """All of them in one round trip; the exception of one that failed stands in its place."""
    client = redis.queue_client()
    if len(calls) == 1 or isinstance(client, RedisCluster):  # whose pipelines take no scripts
        return [_attempt(call) for call in calls]
    with client.pipeline(transaction=False) as pipe:
        for call in calls:
            pipe.evalsha(call.script.sha, *call.arguments)
        answers = pipe.execute(raise_on_error=False)
    return [_parse_or_retry(call, answer) for call, answer in zip(calls, answers, strict=True)]


async def arun_all(calls: Sequence[ScriptCall[Any]]) -> list[Any]:
    """All of them in one round trip; raises the first failure."""
    client = redis.async_queue_client()
    if isinstance(client, AsyncRedisCluster):
        return [await arun(call) for call in calls]
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
    except RedisError as failure:
        return failure
