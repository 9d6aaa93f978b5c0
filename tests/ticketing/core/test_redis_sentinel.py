"""Clients follow a failover by Sentinel: a primary, a replica and a Sentinel of their own."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import override_settings
from kombu import Connection
from redis import Redis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswer
from redis.sentinel import Sentinel

from bench.cluster.hosts import Host, make_folder
from bench.cluster.postgres import wait_until
from bench.cluster.valkey import SentinelGroup, ValkeyNode
from tests.faults.site import free_port
from tests.waiting import PATIENCE
from ticketing.core import redis, redis_breaker
from ticketing.core.breaker import Breaker
from ticketing.core.redis_sentinel import SentinelPool
from ticketing.core.server_addresses import SentinelAddress, celery_options


class SmallGroup(SentinelGroup):
    """One Sentinel is enough here, and writes wait for no replica."""

    def __init__(self, host: Host) -> None:
        super().__init__([host], port=free_port(), sentinel_port=free_port(), down_after=1000)
        self.nodes.append(ValkeyNode(host, free_port()))

    def start_node(self, node: ValkeyNode) -> None:
        first = self.nodes[0]
        source = ("--replicaof", f"{first.host.address} {first.port}")
        node.start(*(() if node is first else source))

    @property
    def sentinel_addresses(self) -> list[tuple[str, int]]:
        return [(each.host.address, each.port) for each in self.sentinels]

    @property
    def breaker(self) -> Breaker:
        return redis_breaker.breaker_of((tuple(self.sentinel_addresses), "ticketing"))

    @property
    def is_led_by(self) -> ValkeyNode:
        primary = self.primary()
        assert primary is not None
        return primary

    def kill_primary(self) -> ValkeyNode:
        killed = self.is_led_by
        killed.host.kill(killed.name)
        return killed

    def names_another_than(self, killed: ValkeyNode) -> bool:
        known: Any = self.sentinels[0].client.sentinel_master("ticketing")
        return known["port"] != killed.port and known["flags"] == "master"

    def switch_roles(self) -> None:
        """Both stay up, and change places. Sentinel would tell the old primary in ten seconds."""
        before, sentinel = self.is_led_by, self.sentinels[0].client
        # On a busy machine nobody is taken for dead, so that they don't change places again.
        sentinel.sentinel_set("ticketing", "down-after-milliseconds", 60_000)
        wait_until(lambda: bool(sentinel.execute_command("SENTINEL FAILOVER", "ticketing")))
        wait_until(lambda: self.names_another_than(before))
        before.client.replicaof("127.0.0.1", self.is_led_by.port)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[SmallGroup]:
    tmp_path.chmod(0o755)
    host = Host("small", "127.0.0.1", make_folder(tmp_path / "small"))
    started = SmallGroup(host)
    try:
        started.start()
        redis_breaker.breaker_of.cache_clear()
        with override_settings(REDIS_URL=started.url, QUEUE_REDIS_URL=started.url, REDIS_TIMEOUT=1):
            redis.client.cache_clear()
            yield started
    finally:
        host.kill()
        redis.client.cache_clear()


def is_written(client: Any) -> bool:
    try:
        return bool(client.set("key", "value"))
    except RedisError:
        return False


async def test_threads_coroutines_and_the_cache_write_to_the_new_primary(group):
    client, coroutine_client = redis.client(), redis.async_client()
    pool = {"CONNECTION_POOL_CLASS": "ticketing.core.redis_sentinel.SentinelPool"}
    cache = {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": [group.url], "OPTIONS": pool}
    plain = group.is_led_by.client
    client.set("before", "kept")
    assert client.wait(1, 5_000) == 1

    killed = group.kill_primary()

    wait_until(lambda: group.names_another_than(killed) and is_written(client))
    assert client.get("before") == "kept"
    assert await coroutine_client.call("SET", "key", "2") == "OK"
    with override_settings(CACHES={"default": cache}):
        caches["default"].set("cached", 1)
        assert caches["default"].get("cached") == 1
    await redis.close_async_clients()
    assert group.is_led_by is not killed
    assert not is_written(plain)  # the control: a client of one address is lost with it


async def test_connections_to_what_has_become_a_replica_are_given_up(group):
    client, coroutine_client = redis.client(), redis.async_client()
    assert is_written(client)
    assert await coroutine_client.call("SET", "key", "1") == "OK"
    plain = group.is_led_by.client
    assert is_written(plain)

    group.switch_roles()

    assert client.set("key", "2")
    assert await coroutine_client.call("SET", "key", "3") == "OK"
    await redis.close_async_clients()
    assert not is_written(plain)  # the control


def test_celery_publishes_and_consumes_at_the_new_primary(group):
    options = celery_options(group.url, 1)
    with Connection(
        SentinelAddress.parse(group.url).celery_url(), transport_options=options
    ) as broker:
        broker.SimpleQueue("before").put({"task": 1})
        killed = group.kill_primary()
        wait_until(lambda: group.names_another_than(killed))
        broker.ensure_connection(interval_start=0.1, interval_step=0)
    with Connection(
        SentinelAddress.parse(group.url).celery_url(), transport_options=options
    ) as broker:
        queue = broker.SimpleQueue("after")
        queue.put({"task": 2})
        assert queue.get(timeout=PATIENCE).payload == {"task": 2}


def test_without_a_primary_the_first_caller_asks_and_the_others_are_refused(group):
    client = Redis.from_pool(SentinelPool.from_url(group.url, **redis.options()))
    for process in group.nodes[0].host.processes.values():
        process.send_signal(signal.SIGSTOP)
    errors = []
    try:
        for _ in range(5):
            with pytest.raises(RedisError) as caught:
                client.set("key", "value")
            errors.append(type(caught.value))
    finally:
        for process in group.nodes[0].host.processes.values():
            process.send_signal(signal.SIGCONT)

    assert errors == [NoAnswer] + 4 * [NoConnection]
    wait_until(lambda: is_written(client))


def late_answers(client: Redis, group: SmallGroup) -> Any:
    """What a call gets after one that timed out while the server stood still."""
    client.mset({"first": "1", "second": "2"})
    process = group.is_led_by.host.processes[group.is_led_by.name]
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(RedisError):
        client.get("first")
    process.send_signal(signal.SIGCONT)
    answers: list[str] = []

    def is_answered() -> bool:
        answers.append(str(client.get("second")))
        return True

    wait_until(is_answered)
    return answers[-1]


def test_a_late_answer_is_not_taken_for_that_of_the_next_call(group):
    group.sentinels[0].client.sentinel_set("ticketing", "down-after-milliseconds", 60_000)
    options = redis.options() | {"socket_timeout": 0.3}
    plain = Sentinel(group.sentinel_addresses).master_for("ticketing", **options)

    assert late_answers(Redis.from_pool(SentinelPool.from_url(group.url, **options)), group) == "2"
    assert late_answers(plain, group) == "1"  # the control: redis-py's own pool mixes them up


def timeouts_of_a_silence(group: SmallGroup) -> int:
    """How many calls of two pools time out until both are answered by the new primary."""
    options = redis.options() | {"socket_timeout": 0.3}
    clients = [Redis.from_pool(SentinelPool.from_url(group.url, **options)) for _ in range(2)]
    silent, timeouts = group.is_led_by, 0
    assert all(client.ping() for client in clients)
    silent.host.processes[silent.name].send_signal(signal.SIGSTOP)
    wait_until(lambda: group.names_another_than(silent))
    while clients:
        try:
            clients[0].set("key", "value")
            del clients[0]
        except RedisError as error:
            timeouts += isinstance(error, NoAnswer)
            group.breaker._open_until = 1e-9  # the next caller may try at once
    return timeouts


def test_a_silent_primary_costs_at_most_one_call_however_many_pools_had_connections(group):
    assert timeouts_of_a_silence(group) <= 1


def test_control_else_it_costs_a_call_of_each_pool(group, monkeypatch):
    monkeypatch.setattr(SentinelPool, "_is_to_begin_anew", lambda self: False)

    assert timeouts_of_a_silence(group) == 2
