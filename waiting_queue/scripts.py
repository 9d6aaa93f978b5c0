"""Lua scripts: read once, sent by their hash, loaded again when a server has forgotten them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any, Generic, TypeVar

from redis import RedisCluster
from redis.asyncio import RedisCluster as AsyncRedisCluster
from redis.exceptions import NoScriptError, RedisError

FOLDER = Path(__file__).parent / "lua"
ALONE = {"enlist", "delist"}  # of a person, not of an event's line

T = TypeVar("T")


@dataclass(frozen=True)
class Script:
    text: str
    sha: str


@dataclass(frozen=True)
class ScriptCall(Generic[T]):
    """One atomic step to be taken by Redis, and how to read its answer."""

    script: Script
    keys: Sequence[str]
    args: Sequence[Any]
    read: Callable[[Any], T]

    @property
    def call(self) -> tuple[Any, ...]:
        return (self.script.sha, len(self.keys), *self.keys, *self.args)


@cache
def script(verb: str) -> Script:
    text = (FOLDER / f"{verb}.lua").read_text()
    if verb not in ALONE:
        text = f"{(FOLDER / '_line.lua').read_text()}\n{text}"
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


def run(client: Any, decision: ScriptCall[T]) -> T:
    try:
        answer = client.evalsha(*decision.call)
    except NoScriptError:
        answer = client.eval(decision.script.text, *decision.call[1:])
    return decision.read(answer)


async def arun(client: Any, decision: ScriptCall[T]) -> T:
    answer = client.evalsha(*decision.call)
    return decision.read(await _aloaded(client, decision, answer))


def run_all(client: Any, decisions: Sequence[ScriptCall[Any]]) -> list[Any]:
    """All of them in one round trip; a failure is returned in its place and stops nobody else."""
    if len(decisions) == 1 or isinstance(client, RedisCluster):  # whose pipelines take no scripts
        return [_attempt(client, decision) for decision in decisions]
    with client.pipeline(transaction=False) as pipe:
        for decision in decisions:
            pipe.evalsha(*decision.call)
        answers = pipe.execute(raise_on_error=False)
    return [
        _read(client, decision, answer) for decision, answer in zip(decisions, answers, strict=True)
    ]


async def arun_all(client: Any, decisions: Sequence[ScriptCall[Any]]) -> list[Any]:
    """The same for coroutines, but the first failure is raised."""
    if isinstance(client, AsyncRedisCluster):
        return [await arun(client, decision) for decision in decisions]
    sent = [client.evalsha(*decision.call) for decision in decisions]  # in one round trip
    return [
        decision.read(await _aloaded(client, decision, answer))
        for decision, answer in zip(decisions, sent, strict=True)
    ]


async def _aloaded(client: Any, decision: ScriptCall[Any], answer: Awaitable[Any]) -> Any:
    try:
        return await answer
    except NoScriptError:
        return await client.eval(decision.script.text, *decision.call[1:])


def _read(client: Any, decision: ScriptCall[Any], answer: Any) -> Any:
    if isinstance(answer, NoScriptError):
        return _attempt(client, decision)
    return answer if isinstance(answer, Exception) else decision.read(answer)


def _attempt(client: Any, decision: ScriptCall[Any]) -> Any:
    try:
        return run(client, decision)
    except RedisError as failure:
        return failure
