"""Plain numbers become Prometheus' families when they are read."""

from collections.abc import Iterator

import pytest
from prometheus_client import REGISTRY, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from ticketing.core.breaker import Breaker
from ticketing.core.metrics import machine
from ticketing.core.metrics.families import BOUNDS, Counter, Gauge, Histogram


@pytest.fixture
def registered() -> Iterator[list]:
    made: list = []
    yield made
    for metric in made:
        REGISTRY.unregister(metric)


def value(name, **labels):
    return REGISTRY.get_sample_value(name, labels)


def test_durations_are_counted_up_to_each_bound(registered):
    histogram = Histogram("test_seconds", "A test.", ["by"])
    registered.append(histogram)
    for seconds in (BOUNDS[0], 0.3, 99.0):
        histogram.labels("me").note(seconds)

    assert value("test_seconds_bucket", by="me", le=str(BOUNDS[0])) == 1  # a bound is inside
    assert value("test_seconds_bucket", by="me", le="0.5") == 2
    assert value("test_seconds_bucket", by="me", le="+Inf") == 3
    assert value("test_seconds_count", by="me") == 3
    assert value("test_seconds_sum", by="me") == pytest.approx(99.3005)


def test_counts_and_gauges(registered):
    counter = Counter("test_total", "A test.", ["door"])
    registered += [counter, Gauge("test_now", "A test.", [], lambda: [((), 7)])]
    counter.labels("front").inc()
    counter.labels("front").inc(2)

    assert value("test_total", door="front") == 3
    assert value("test_now") == 7


def test_a_breaker_tells_of_its_server():
    breaker = Breaker(OSError, "test server")
    breaker.open()

    assert value("breakers_open", server="test server") == 1
    breaker.close()
    assert value("breakers_open", server="test server") == 0


def test_pools_are_asked_when_somebody_reads(monkeypatch):
    monkeypatch.setitem(machine.pools, "test", lambda: machine.PoolUse(4, 3, 2))

    read = [value(f"pool_{name}", pool="test") for name in ("size", "busy", "waiting")]

    assert read == [4, 3, 2]


def test_all_of_it_can_be_parsed():
    families = list(text_string_to_metric_families(generate_latest().decode()))

    assert {"database_seconds", "redis_seconds", "pool_busy"} <= {each.name for each in families}
