"""The breaker: opens on a failure rate, for everybody, pauses, and lets one call try."""

from datetime import timedelta
from threading import Barrier

import pytest
from redis.exceptions import RedisError

from payments import breaker, errors, keys, selectors, store
from payments.breaker import LEAST, PAUSE_MS, PROBE_MS, WINDOW_MS, Breaker, Open
from payments.gateways import Declined, Unavailable, Unknown, gateway
from payments.models import Payment
from payments.sandbox import control
from tests.payments.saga.acting import work
from tests.race import together, winners
from ticketing.core import redis

pytestmark = pytest.mark.django_db(transaction=True)
FEW = 6


@pytest.fixture
def time(monkeypatch):
    """Milliseconds, in our hands."""
    at = {"ms": 1_000_000}
    monkeypatch.setattr(breaker, "_now_ms", lambda: at["ms"])
    return at


@pytest.fixture
def switch(time):
    return Breaker("test")


def is_open(switch):
    try:
        switch.ask()
    except Open:
        return True
    return False


def tell(switch, good, bad):
    for went_well in [True] * good + [False] * bad:
        switch.tell(went_well)


@pytest.mark.parametrize(
    ("good", "bad", "opens"), [(0, 9, False), (5, 5, False), (4, 6, True), (0, 10, True)]
)
def test_it_opens_above_half_of_at_least_ten(switch, good, bad, opens):
    tell(switch, good, bad)

    assert is_open(switch) is opens


def test_old_calls_do_not_count(switch, time):
    tell(switch, 0, 9)
    time["ms"] += WINDOW_MS + 1
    tell(switch, 0, 1)

    assert not is_open(switch)


def test_after_the_pause_one_may_try_and_a_good_try_closes_it(switch, time):
    tell(switch, 0, 10)
    time["ms"] += PAUSE_MS
    assert [is_open(switch), is_open(switch)] == [False, True]

    switch.tell(True, is_try=True)

    assert not is_open(switch)
    assert switch.look().word == "closed"


def test_a_bad_try_opens_it_for_as_long_again(switch, time):
    tell(switch, 0, 10)
    time["ms"] += PAUSE_MS
    switch.tell(False, is_try=switch.ask())

    time["ms"] += PAUSE_MS - 1
    assert is_open(switch)
    time["ms"] += 1
    assert not is_open(switch)


def test_who_dies_while_trying_leaves_it_to_another(switch, time):
    tell(switch, 0, 10)
    time["ms"] += PAUSE_MS
    switch.ask()

    time["ms"] += PROBE_MS
    assert not is_open(switch)


def test_calls_under_way_when_it_opened_do_not_close_it(switch):
    tell(switch, 0, 10)
    tell(switch, 3, 0)

    assert is_open(switch)


def test_only_the_try_itself_decides(switch, time):
    tell(switch, 0, 10)
    time["ms"] += PAUSE_MS
    assert switch.ask()

    tell(switch, 3, 3)

    assert (switch.look().word, is_open(switch)) == ("half_open", True)


def test_of_many_at_once_one_tries(switch, time):
    tell(switch, 0, 10)
    time["ms"] += PAUSE_MS

    results = together(20, lambda _: switch.ask())

    assert len(winners(results)) == 1


def test_control_where_looking_and_writing_are_two_steps_many_try(switch, time, monkeypatch):
    """The same decision as `ask.lua`, but others may look before it is written."""
    tell(switch, 0, 10)
    time["ms"] += PAUSE_MS
    key, met = keys.breaker("test"), Barrier(FEW)

    def in_two_steps(gateway, *, now_ms, pause_ms, probe_ms):
        is_tried = now_ms < int(redis.client().hget(key, "trying") or 0)
        met.wait(10)
        redis.client().hset(key, "trying", now_ms + probe_ms)
        return ("open", 1) if is_tried else ("probe", 0)

    monkeypatch.setattr(store, "ask", in_two_steps)

    assert len(winners(together(FEW, lambda _: switch.ask()))) == FEW


def test_many_may_call_while_it_is_closed(switch):
    assert len(winners(together(20, lambda _: switch.ask()))) == 20


def test_without_redis_calls_go_out(switch, monkeypatch):
    def away(*_, **__):
        raise RedisError("away")

    monkeypatch.setattr(store, "script", lambda _: away)

    tell(switch, 0, 20)
    assert not is_open(switch)


# -- with the gateway -----------------------------------------------------------------------------


def test_a_gateway_that_fails_is_left_alone_and_seats_are_kept(buyer):
    buyer.start()
    answer = buyer.agree()
    control.fare(failure_rate=1)
    for _ in range(LEAST - 1):  # to register the amount was the first call, and a good one
        with pytest.raises(Unknown, match="JSONDecodeError"):
            gateway().look(number="pay-x", seconds=2)

    with pytest.raises(Unavailable, match="breaker_open"):
        gateway().look(number="pay-x", seconds=2)
    assert selectors.breaker_state().word == "open"

    assert buyer.confirm(answer).state == "charging"
    work(buyer.now + timedelta(minutes=2))
    assert (buyer.payment.state, buyer.reservation.state) == ("charging", "paying")

    control.fare()
    redis.client().flushdb()
    work(buyer.now + timedelta(minutes=4))
    assert buyer.payment.state == "succeeded"


def test_who_wants_to_start_while_it_is_open_is_told(buyer):
    for _ in range(LEAST):
        Breaker("portone").tell(False)

    with pytest.raises(errors.PaymentsPaused):
        buyer.start()
    assert Payment.objects.get().state == "pending"


def test_a_refusal_is_no_failure(buyer):
    for _ in range(LEAST + 2):
        with pytest.raises(Declined):
            gateway().charge(number="pay-x", token="t", amount=1, currency="KRW", seconds=2)

    assert selectors.breaker_state().word == "closed"
