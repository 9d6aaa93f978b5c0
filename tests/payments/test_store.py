"""The breaker: opens on a failure rate, for everybody, pauses, and lets one call try."""

from asyncio import Barrier
from datetime import timedelta

import pytest
from redis.exceptions import RedisError

from payments import errors, keys, selectors, store
from payments.gateways import Declined, GatewayUnavailable, OutcomeUnknown
from payments.models import Payment
from payments.sandbox import testing
from payments.store import (
    BUCKET_MS,
    MIN_CALLS,
    MIN_FAILING_BUCKETS,
    MIN_OUTAGE_MS,
    OPEN_MS,
    PROBE_MS,
    READ_EVERY_MS,
    WINDOW_MS,
    BreakerOpen,
)
from tests.payments.buyers import ask_gateway, work
from tests.race import together, winners
from ticketing.core import redis
from ticketing.core.auto_pipeline import AutoPipeline
from ticketing.core.event_loop import blocking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
FEW = 6
allow_call, record_call = blocking(store.allow_call), blocking(store.record_call)


@pytest.fixture
def time(monkeypatch):
    """Milliseconds, in our hands."""
    at = {"ms": 1_000_000}
    monkeypatch.setattr(store, "_now_ms", lambda: at["ms"])
    return at


def is_open(*, reads=False):
    try:
        allow_call("test", reads=reads)
    except BreakerOpen:
        return True
    return False


def record(good, bad):
    for succeeded in [True] * good + [False] * bad:
        record_call("test", succeeded=succeeded)


def fail_for_a_while(time, good=0, bad=10):
    """Calls of which the last one fails some seconds after the first failure."""
    record(good, bad - 1)
    time["ms"] += MIN_OUTAGE_MS
    record(0, 1)


@pytest.fixture
def opens_at_once(monkeypatch):
    """For tests by the real clock, which are not about how long the gateway is away."""
    monkeypatch.setattr(store, "MIN_OUTAGE_MS", 0)


@pytest.mark.parametrize(
    ("good", "bad", "opens"), [(0, 9, False), (5, 5, False), (4, 6, True), (0, 10, True)]
)
def test_it_opens_above_half_of_at_least_ten(time, good, bad, opens):
    fail_for_a_while(time, good, bad)

    assert is_open() is opens


def test_a_rush_while_the_gateway_is_away_for_a_second_does_not_open_it(time):
    record(5, 30)
    time["ms"] += 999
    record(0, 30)
    assert not is_open()

    record(1, 0)  # it is back
    time["ms"] += MIN_OUTAGE_MS
    record(0, 1)

    assert not is_open()


def test_a_gateway_that_fails_most_calls_for_long_is_left_alone(time):
    """Some succeed, so nothing says that it is away."""
    for _ in range(MIN_FAILING_BUCKETS):
        assert not is_open()
        time["ms"] += BUCKET_MS
        record(2, 3)
    time["ms"] += 1
    record(0, 1)

    assert is_open()


def test_two_short_absences_do_not_open_it(time):
    for _ in range(2):
        record(0, 20)
        time["ms"] += 900
        record(1, 0)
        time["ms"] += 2 * BUCKET_MS

    assert not is_open()


def test_old_calls_do_not_count(time):
    record(0, 9)
    time["ms"] += WINDOW_MS + 1
    record(0, 1)

    assert not is_open()


def test_after_the_pause_one_may_try_and_a_good_try_closes_it(time):
    fail_for_a_while(time)
    time["ms"] += OPEN_MS
    assert [is_open(), is_open()] == [False, True]

    record_call("test", succeeded=True, is_probe=True)

    assert not is_open()
    assert store.breaker_state("test").state == "closed"


def test_a_bad_try_opens_it_for_as_long_again(time):
    fail_for_a_while(time)
    time["ms"] += OPEN_MS
    record_call("test", succeeded=False, is_probe=allow_call("test"))

    time["ms"] += OPEN_MS - 1
    assert is_open()
    time["ms"] += 1
    assert not is_open()


def test_while_it_is_open_a_read_tries_every_few_seconds(time):
    fail_for_a_while(time)
    assert is_open(reads=True)

    time["ms"] += READ_EVERY_MS
    assert [is_open(), is_open(reads=True), is_open(reads=True)] == [True, False, True]
    record_call("test", succeeded=False, is_probe=True)
    assert is_open(reads=True)

    time["ms"] += READ_EVERY_MS
    record_call("test", succeeded=True, is_probe=allow_call("test", reads=True))
    assert not is_open()


def test_who_dies_while_trying_leaves_it_to_another(time):
    fail_for_a_while(time)
    time["ms"] += OPEN_MS
    allow_call("test")

    time["ms"] += PROBE_MS
    assert not is_open()


def test_calls_under_way_when_it_opened_do_not_close_it(time):
    fail_for_a_while(time)
    record(3, 0)

    assert is_open()


def test_only_the_try_itself_decides(time):
    fail_for_a_while(time)
    time["ms"] += OPEN_MS
    assert allow_call("test")

    record(3, 3)

    assert (store.breaker_state("test").state, is_open()) == ("half_open", True)


def test_of_many_at_once_one_tries(time):
    fail_for_a_while(time)
    time["ms"] += OPEN_MS

    results = together(20, lambda _: allow_call("test"))

    assert len(winners(results)) == 1


def test_control_where_looking_and_writing_are_two_steps_many_try(time, monkeypatch):
    """The same decision as `allow_call.lua`, but others may look before it is written."""
    fail_for_a_while(time)
    time["ms"] += OPEN_MS
    key, met = keys.breaker("test"), Barrier(FEW)

    async def in_two_steps(name, names, args):
        now_ms, _, probe_ms, _ = args
        is_probed = now_ms < int(redis.client().hget(key, "probing") or 0)
        await met.wait()
        redis.client().hset(key, "probing", now_ms + probe_ms)
        return ("open", 1) if is_probed else ("probe", 0)

    monkeypatch.setattr(store, "_run", in_two_steps)

    assert len(winners(together(FEW, lambda _: allow_call("test")))) == FEW


def test_many_may_call_while_it_is_closed(time):
    assert len(winners(together(20, lambda _: allow_call("test")))) == 20


def test_without_redis_calls_go_out(time, monkeypatch):
    def away(*_, **__):
        raise RedisError("away")

    monkeypatch.setattr(AutoPipeline, "call", away)

    record(0, 20)
    assert not is_open()


# -- with the gateway -----------------------------------------------------------------------------


def test_a_gateway_that_fails_is_left_alone_and_seats_are_kept(buyer, opens_at_once):
    buyer.start()
    answer = buyer.agree()
    testing.set_faults(failure_rate=1)
    for _ in range(MIN_CALLS - 1):  # to register the amount was the first call, and a good one
        with pytest.raises(OutcomeUnknown, match="JSONDecodeError"):
            ask_gateway("fetch", number="pay-x", timeout=2)

    with pytest.raises(GatewayUnavailable, match="breaker_open"):
        ask_gateway("fetch", number="pay-x", timeout=2)
    assert selectors.breaker_state().state == "open"

    assert buyer.confirm(answer).state == "charging"
    work(buyer.now + timedelta(minutes=2))
    assert (buyer.payment.state, buyer.reservation.state) == ("charging", "paying")

    testing.set_faults()
    redis.client().flushdb()
    work(buyer.now + timedelta(minutes=4))
    assert buyer.payment.state == "succeeded"


def test_who_wants_to_start_while_it_is_open_is_told(buyer, opens_at_once):
    for _ in range(MIN_CALLS):
        record_call("portone", succeeded=False)

    with pytest.raises(errors.PaymentsPaused):
        buyer.start()
    assert Payment.objects.get().state == "pending"


def test_a_refusal_is_no_failure(buyer):
    for _ in range(MIN_CALLS + 2):
        with pytest.raises(Declined):
            ask_gateway("charge", number="pay-x", token="t", amount=1, currency="KRW", timeout=2)

    assert selectors.breaker_state().state == "closed"
