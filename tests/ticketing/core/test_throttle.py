from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.test import RequestFactory

from ticketing.accounts.rate_limits import RULES
from ticketing.core import redis
from ticketing.core.errors import TooManyRequests
from ticketing.core.throttle import client_address, throttle

CALLERS, LIMIT = 24, 7


def passes(attempt: Callable[[], bool]) -> int:
    with ThreadPoolExecutor(CALLERS) as pool:
        return sum(pool.map(lambda _: attempt(), range(CALLERS)))


def test_of_many_at_once_exactly_the_limit_passes():
    together = Barrier(CALLERS)

    def attempt() -> bool:
        together.wait()
        try:
            throttle("test", "ann", LIMIT, 60)
        except TooManyRequests:
            return False
        return True

    assert passes(attempt) == LIMIT


def test_control_reading_first_and_writing_then_lets_more_pass():
    together = Barrier(CALLERS)

    def attempt() -> bool:
        calls = int(redis.client().get("throttle:control") or 0)
        together.wait()
        redis.client().set("throttle:control", calls + 1, ex=60)
        return calls < LIMIT

    assert passes(attempt) > LIMIT


def test_the_refusal_says_how_long_to_wait():
    throttle("test", "ann", 1, 60)

    with pytest.raises(TooManyRequests) as refusal:
        throttle("test", "ann", 1, 60)

    assert 0 < refusal.value.retry_after <= 60


def test_each_key_and_each_rule_counts_for_itself():
    throttle("test", "ann", 1, 60)
    throttle("test", "ben", 1, 60)
    throttle("other", "ann", 1, 60)

    assert len(redis.client().keys("throttle:*")) == 3


def test_no_counter_stays_for_ever():
    throttle("test", "ann", 1, 60)

    assert [redis.client().ttl(key) for key in redis.client().keys("throttle:*")] == [60]


def test_after_the_window_it_goes_on():
    throttle("test", "ann", 1, 1)
    (key,) = redis.client().keys("throttle:*")
    redis.client().pexpire(key, 1)
    while redis.client().exists(key):
        pass

    throttle("test", "ann", 1, 1)
    assert redis.client().get(key) == "1"


@pytest.mark.parametrize(
    ("raw", "address"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::/64"),
        ("2001:db8:1:2:ffff::1", "2001:0db8:0001:0002::/64"),
        ("", ""),
        ("unix:", "unix:"),
    ],
)
def test_an_address_is_a_household(raw: str, address: str):
    assert client_address(RequestFactory().get("/", REMOTE_ADDR=raw)) == address


def test_every_rule_has_its_own_name_and_a_sentence():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.sentence.endswith(".") for rule in RULES)
