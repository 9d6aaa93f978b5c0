"""What is counted of the queue: under these names, whoever reads it."""

import pytest
from prometheus_client import REGISTRY, generate_latest

from waiting_queue import metrics


def value(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("queue_connections", "gauge"),
        ("queue_promotions_total", "counter"),
        ("queue_tick_seconds", "histogram"),
        ("queue_lua_seconds", "histogram"),
        ("queue_broadcast_seconds", "histogram"),
        ("queue_frames_total", "counter"),
        ("queue_polls_total", "counter"),
    ],
)
def test_the_registry_tells_each_by_its_name(line, kind):
    assert f"# TYPE {line} {kind}\n" in generate_latest().decode()


@pytest.mark.parametrize(
    ("metric", "name", "labels"),
    [
        (metrics.WEBSOCKETS, "queue_connections", {"kind": "websocket"}),
        (metrics.STREAMS, "queue_connections", {"kind": "sse"}),
        (metrics.FRAMES, "queue_frames_total", {}),
        (metrics.POLLS_ANSWERED_LOCALLY, "queue_polls_total", {"source": "local"}),
        (metrics.POLLS_ANSWERED_BY_REDIS, "queue_polls_total", {"source": "redis"}),
    ],
)
def test_what_is_counted_is_told(metric, name, labels):
    before = value(name, **labels)

    metric.inc(3)

    assert value(name, **labels) == before + 3


def test_promotions_are_counted_by_event():
    before = value("queue_promotions_total", event="7")

    metrics.PROMOTIONS.labels(7).inc(3)  # again each time: ended events are forgotten

    assert value("queue_promotions_total", event="7") == before + 3


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (metrics.TICK_SECONDS, "queue_tick_seconds"),
        (metrics.LUA_SECONDS, "queue_lua_seconds"),
        (metrics.BROADCAST_SECONDS, "queue_broadcast_seconds"),
    ],
)
def test_what_is_timed_is_told(metric, name):
    before = value(f"{name}_count")

    with metric.time():
        pass
    metric.observe(0.0001)

    assert value(f"{name}_count") == before + 2


def test_promotions_of_an_event_that_ticks_no_more_are_forgotten():
    metrics.count_promotions({71: 2, 72: 0})
    metrics.count_promotions({71: 1})

    assert value("queue_promotions_total", event="71") == 3
    assert REGISTRY.get_sample_value("queue_promotions_total", {"event": "72"}) is None
    metrics.count_promotions({})
