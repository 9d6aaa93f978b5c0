"""Where the limit lies: found where it was planted, and not claimed where it was not reached."""

from itertools import count

import pytest

from ticketing.rehearsal.simulator.history import RUNNER, Evidence, Record
from ticketing.rehearsal.simulator.judge import Targets, load_limits

TEN = 1_900_000_000.0


def growing(action, seconds, slow_from, *, quick=0.05, slow=0.9, **data):
    """n calls in the n-th second; slow from one second on."""
    numbers, calls = count(), []
    for at in range(seconds):
        took = slow if at >= slow_from else quick
        for n in range(at + 1):
            ended = TEN + at + n / (at + 1) * 0.9
            calls.append(Record(next(numbers), action, ended - took, ended, data=data))
    return calls


def samples(seconds, **data):
    usual = {"database_ms": 2, "redis_ms": 1, "tick_age_seconds": 0.5}
    return [
        Record(RUNNER, "sample", TEN + at, TEN + at, data=usual | data) for at in range(seconds)
    ]


def found(*records, **options):
    evidence = Evidence(
        {"began": TEN, "knobs": {}}, [one for part in records for one in part], [], {}, {}
    )
    return load_limits(evidence, **options)


def named(result, name):
    return next(limit for limit in result.limits if limit.name == name)


@pytest.mark.parametrize("action", ["join", "poll", "hold"])
def test_the_highest_load_before_calls_became_slow(action):
    limit = named(found(growing(action, 60, 40), samples(60)), f"{action}s")

    assert limit.exceeded is not None
    assert 36 <= limit.best <= 40
    assert limit.exceeded.at == pytest.approx(40, abs=1)
    assert limit.exceeded.p95 == pytest.approx(0.9, rel=0.06)


def test_a_limit_that_was_not_reached_is_not_claimed():
    result = found(growing("hold", 60, 99), samples(60))

    assert not result.reached
    assert named(result, "holds").best == pytest.approx(58)
    assert "Not reached" in str(result.bottleneck)
    assert named(result, "joins").best is None


def test_targets_can_be_set():
    records = growing("hold", 60, 30, slow=0.4)

    assert named(found(records), "holds").exceeded is None
    assert named(found(records, targets=Targets(holds=0.2)), "holds").exceeded.at == pytest.approx(
        30, abs=1
    )


def test_what_is_slow_during_a_fault_is_not_the_limit():
    fault = Record(RUNNER, "fault", TEN + 40, TEN + 45, data={"fault": "web"})
    slow_then = [*growing("hold", 40, 99), *growing("hold", 58, 41)[820:]]

    assert named(found(slow_then, [fault]), "holds").exceeded is None
    assert named(found(slow_then), "holds").exceeded is not None


def test_sales_are_counted_once_and_measured_by_their_calls():
    paid = growing("confirm", 40, 30, slow=3, state="SUCCEEDED", payment="one")

    limit = named(found(paid), "sales")

    assert limit.best <= 0.2
    assert limit.exceeded.p95 == pytest.approx(3, rel=0.06)


def test_live_connections_are_those_that_are_open():
    pages = [Record(n, "connect", TEN + n / 10, TEN + n / 10) for n in range(300)]
    dropped = [Record(n, "disconnect", TEN + 35, TEN + 35) for n in range(200)]

    limit = named(found(pages, dropped, growing("poll", 60, 99)), "connections")

    assert limit.best == pytest.approx(300)
    assert limit.best_at < 36


@pytest.mark.parametrize(
    ("data", "named_in"),
    [
        ({"database_ms": 400}, ("PostgreSQL", "max_inside")),
        ({"redis_ms": 90}, ("Valkey", "Valkey")),
        ({"tick_age_seconds": 6.0}, ("ticks came 6.0 s apart", "core of its own")),
        ({"load": {"web": 0.99, "postgresql": 0.2}}, ("busiest: web (99%)", "more web processes")),
        ({}, ("the web processes", "more web processes")),
    ],
)
def test_what_was_slow_and_what_to_change(data, named_in):
    result = found(growing("hold", 60, 40), samples(60, **data))

    assert named_in[0] in str(result.bottleneck)
    assert named_in[1] in str(result.advice)


def test_where_only_payments_are_slow_it_is_the_gateway():
    result = found(growing("pay", 60, 40, slow=4), growing("hold", 60, 99), samples(60))

    assert "gateway" in str(result.bottleneck)
