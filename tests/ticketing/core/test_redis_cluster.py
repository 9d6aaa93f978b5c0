"""Calls on a Redis Cluster follow its slots; what no node takes is a `RedisError`, at once."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from django.conf import settings
from redis import Redis
from redis.crc import key_slot
from redis.exceptions import ClusterDownError, MovedError, RedisError
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer

from tests.waiting import PATIENCE
from tests.waiting_queue.cluster import Cluster, follows
from ticketing.core import clock, redis, redis_cluster
from ticketing.core.redis_cluster import SLOTS, Address, ClusterPipeline

ONE, TWO, THREE = ("one", 6379), ("two", 6379), ("three", 6379)
SLOT = key_slot(b"key")
SCRIPT = "redis.call('INCR', KEYS[1]) return ARGV[1]"


class Nodes:
    """Nodes that answer what the test says; all of them know the same owner of all slots."""

    def __init__(self, owner: Address, **answers: Any) -> None:
        self.owner, self.answers = owner, answers
        self.calls: list[tuple[str, str]] = []

    def open(self, address: Address) -> Any:
        return Node(self, address[0])


class Node:
    def __init__(self, nodes: Nodes, name: str) -> None:
        self.nodes, self.name = nodes, name

    async def call(self, *command: Any) -> Any:
        self.nodes.calls.append((self.name, command[0]))
        answer = self.nodes.answers.get(self.name, "OK")
        if command[0] == "CLUSTER" and not isinstance(answer, NoConnection):
            return [[0, SLOTS - 1, list(self.nodes.owner), ["three", 6379]]]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """The clock stands still until this is called."""
    now = [1_000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])

    def pass_time() -> None:
        now[0] += redis_cluster.READ_SECONDS

    return pass_time


def moved(to: str) -> MovedError:
    return MovedError(f"{SLOT} {to}")


async def test_a_call_goes_to_the_node_of_its_key():
    nodes = Nodes(owner=TWO)
    client = ClusterPipeline([ONE], nodes.open)

    assert await client.get("key") == "OK"
    assert nodes.calls == [("one", "CLUSTER"), ("two", "GET")]


async def test_a_slot_that_moved_is_followed_and_the_owners_are_read_again(later):
    nodes = Nodes(owner=ONE)
    client = ClusterPipeline([ONE], nodes.open)
    await client.get("key")
    nodes.answers["one"], nodes.owner = moved("two:6379"), TWO
    later()

    assert await client.get("key") == "OK"
    await client._start_reading()  # which is under way, and nobody waits for it
    assert await client.get("another") == "OK"

    assert [call for call in nodes.calls if call[1] == "GET"][1:] == [
        *(("one", "GET"), ("two", "GET")),
        ("two", "GET"),
    ]


async def test_a_node_that_names_no_host_means_its_own():
    nodes = Nodes(owner=ONE, one=moved(":7000"))
    opened: list[Address] = []
    client = ClusterPipeline([ONE], lambda address: opened.append(address) or nodes.open(address))

    with pytest.raises(NoConnection):  # this stub answers the same on every port
        await client.get("key")

    assert opened == [ONE, ("one", 7000)]


async def test_nodes_that_name_each_other_are_not_asked_for_ever():
    nodes = Nodes(owner=ONE, one=moved("two:6379"), two=moved("one:6379"))
    client = ClusterPipeline([ONE], nodes.open)

    with pytest.raises(NoConnection, match="disagree"):
        await client.get("key")

    assert len([call for call in nodes.calls if call[1] == "GET"]) == redis_cluster.MAX_NODES


async def test_a_node_that_is_gone_is_left_once_another_has_its_slots(later):
    nodes = Nodes(owner=ONE)
    client = ClusterPipeline([ONE, TWO], nodes.open)
    await client.get("key")
    nodes.answers["one"] = NoConnection("refused")

    with pytest.raises(NoConnection, match="refused"):  # nobody has taken over yet
        await client.get("key")
    later()
    nodes.owner = TWO

    assert await client.get("key") == "OK"


@pytest.mark.parametrize("outage", [ClusterDownError("The cluster is down"), NoAnswer("late")])
async def test_an_outage_is_told_at_once_and_ends_by_itself(outage):
    nodes = Nodes(owner=ONE, one=outage)
    client = ClusterPipeline([ONE], nodes.open)

    with pytest.raises(type(outage)):
        await client.get("key")
    assert nodes.calls == [("one", "CLUSTER"), ("one", "GET")]

    nodes.answers["one"] = "OK"
    assert await client.get("key") == "OK"


async def test_without_any_node_every_call_is_refused():
    nodes = Nodes(owner=ONE, one=NoConnection("refused"), two=NoConnection("refused"))
    client = ClusterPipeline([ONE, TWO], nodes.open)

    with pytest.raises(NoConnection, match="No node"):
        await client.get("key")


async def test_callers_of_one_moment_read_the_owners_once_even_if_one_of_them_leaves():
    nodes = Nodes(owner=ONE)
    client = ClusterPipeline([ONE], nodes.open)
    first = asyncio.create_task(client.get("key"))
    others = [asyncio.create_task(client.get("key")) for _ in range(10)]
    await asyncio.sleep(0)
    first.cancel()

    assert await asyncio.gather(*others) == ["OK"] * 10
    assert [call for call in nodes.calls if call[1] == "CLUSTER"] == [("one", "CLUSTER")]


# -- a real cluster -------------------------------------------------------------------------------


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Three primaries with a replica each."""
    made = Cluster(replicas=3)
    try:
        made.start()
        monkeypatch.setattr(settings, "QUEUE_REDIS_URL", made.url)
        monkeypatch.setattr(settings, "REDIS_TIMEOUT", 1)
        yield made
    finally:
        made.stop()


async def increment(number: int) -> str | RedisError:
    """Anything that is not a `RedisError` would be a 500."""
    call = redis.async_queue_client().eval(SCRIPT, 1, f"key-{number}", str(number))
    try:
        answer = await call
    except RedisError as refused:
        return refused
    assert answer == str(number)  # and not that of somebody else
    return str(answer)


async def hammer(disturb: Coroutine[Any, Any, None], callers: int = 200) -> list[Any]:
    """What all callers were told while something happens to the cluster."""
    disturbance = asyncio.create_task(disturb)
    told: list[Any] = []

    async def call_again_and_again(number: int) -> None:
        while not disturbance.done():
            told.append(await increment(number))
            await asyncio.sleep(0)

    await asyncio.gather(*map(call_again_and_again, range(callers)))
    await disturbance
    return told


async def wait_until_all_are_served() -> None:
    async with asyncio.timeout(PATIENCE):
        while any([isinstance(await increment(number), RedisError) for number in range(50)]):
            await asyncio.sleep(0.1)


async def test_primaries_that_change_places_with_their_replicas_cost_no_call(cluster, monkeypatch):
    clients: list[Any] = [Redis(port=port) for port in cluster.ports]
    # A busy machine is no outage, and the pause in which a replica catches up may be long there.
    monkeypatch.setattr(settings, "REDIS_TIMEOUT", PATIENCE)
    for client in clients:
        client.config_set("cluster-node-timeout", 1000 * PATIENCE)

    async def fail_over() -> None:
        for client in clients[3:] + clients[:3]:
            while not follows(client):  # one that has just been a primary may not have begun yet
                await asyncio.sleep(0.01)
            client.execute_command("CLUSTER FAILOVER")
            while client.info("replication")["role"] == "slave":
                await asyncio.sleep(0.01)

    told = await hammer(fail_over())
    await redis.close_async_clients()

    assert [answer for answer in told if isinstance(answer, RedisError)] == []


@pytest.mark.parametrize("killed_by", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_primary_that_is_lost_is_an_outage_until_its_replica_takes_over(cluster, killed_by):
    await wait_until_all_are_served()
    lost = cluster.ports[0]

    async def lose_it() -> None:
        cluster.node_of(lost).send_signal(killed_by)
        await wait_until_all_are_served()

    told = await hammer(lose_it())
    await redis.close_async_clients()

    assert any(isinstance(answer, RedisError) for answer in told)


async def test_a_silent_node_is_waited_for_by_few(cluster):
    await wait_until_all_are_served()
    for port in cluster.ports:  # all of them: nobody takes over
        cluster.node_of(port).send_signal(signal.SIGSTOP)

    first = await increment(1)
    others = await asyncio.gather(*(increment(1) for _ in range(100)))
    await redis.close_async_clients()

    assert isinstance(first, NoAnswer)
    assert all(isinstance(answer, RedisError) for answer in others)
    assert len([answer for answer in others if isinstance(answer, NoAnswer)]) < 10
