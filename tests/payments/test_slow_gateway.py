"""A gateway that takes its time, hangs or dribbles keeps nobody waiting but its own callers."""

import asyncio
import threading
import time
from datetime import timedelta
from unittest.mock import AsyncMock
from uuid import uuid4

import httpx
import pytest
from django.db import connection
from redis import Redis

from payments import keys, services, store, tasks
from payments.gateways import GatewayUnavailable, OutcomeUnknown, gateway
from payments.gateways.portone import PortOne, sdk_client
from payments.models import Payment
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.payments.buyers import Buyer, ask_gateway, settle_in_background
from tests.payments.slow_gateway import slow_gateway
from tests.soak import SOAK
from tests.waiting import wait_until
from ticketing.core import clock, event_loop, redis
from ticketing.core.event_loop import blocking
from ticketing.core.fast_path import threads

pytestmark = [pytest.mark.django_db(transaction=True)]
MANY = 300 if SOAK > 1 else 120
BUSY = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'"
)


@pytest.fixture
def slow(settings, base):
    """The site pays there. `base` ends the connections of threads when all tests are done."""
    with slow_gateway() as there:
        settings.PORTONE_URL = there.url
        settings.PAYMENT_PATIENCE = settings.PORTONE_TIMEOUT = 20
        settings.PORTONE_TAKES_TEST = True
        yield there
        there.let_go()
        settle_in_background()


@pytest.fixture
def working(monkeypatch):
    """The database steps that are under way in threads."""
    real, under_way = threads._connected, set()

    def counted(work, *args, **kwargs):
        under_way.add(threading.get_ident())
        try:
            return real(work, *args, **kwargs)
        finally:
            under_way.discard(threading.get_ident())

    monkeypatch.setattr(threads, "_connected", counted)
    return under_way


def make_buyers(count, now):
    """Who hold one seat each."""
    event = make_event(now, plan=make_plan(rows=count // 20 + 1, seats_per_row=20))
    return [
        Buyer(event, make_user(password=None), now, seats=[seat])
        for seat in seat_ids(event)[:count]
    ]


def busy_connections():
    with connection.cursor() as cursor:
        cursor.execute(BUSY)
        return cursor.fetchone()[0] - 1  # this one


@pytest.mark.soak(scales=True)
def test_nothing_is_held_while_many_wait_for_the_gateway(slow, working, now, settings):
    """All at once, in one event loop: no thread, no connection, no transaction waits with them."""
    settings.PAYMENT_PATIENCE = 120
    threads_before = threading.active_count()
    buyers = make_buyers(MANY, now)
    numbers = [buyer.start().number for buyer in buyers]

    async def confirm_all():
        whose = zip(numbers, buyers, strict=True)
        return await asyncio.gather(
            *(
                services.aconfirm_payment(
                    number=number, fan_id=buyer.fan.pk, payment_token="t", now=now
                )
                for number, buyer in whose
            )
        )

    slow.hold_back()
    event_loop.start(confirm_all())
    wait_until(lambda: slow.in_flight == MANY)

    wait_until(lambda: not working)
    assert threads._threads()._work_queue.qsize() == 0
    assert busy_connections() == 0
    assert threading.active_count() < threads_before + 50  # not one for each
    slow.let_go()
    settle_in_background()

    assert slow.most_in_flight >= MANY
    assert set(Payment.objects.values_list("state", flat=True)) == {"succeeded"}
    assert sorted(slow.charges) == sorted(numbers)


def test_control_a_step_that_waits_in_a_thread_is_seen(slow, working):
    slow.hold_back()

    async def wait_in_a_thread():
        await threads.in_thread(httpx.get, f"{slow.url}/payments/pay-1", timeout=20)

    event_loop.start(wait_in_a_thread())
    wait_until(lambda: slow.in_flight == 1)

    assert len(working) == 1


# -- deadlines -------------------------------------------------------------------------------------


def timed(work):
    began = time.monotonic()
    with pytest.raises(Exception) as failure:
        work()
    return failure.value, time.monotonic() - began


def test_a_gateway_that_dribbles_is_cut_off_at_the_deadline(slow):
    slow.dribbles = True

    error, seconds = timed(lambda: ask_gateway("fetch", number="pay-1", timeout=1))

    assert isinstance(error, OutcomeUnknown)
    assert seconds < 15


def test_control_httpx_own_timeout_never_ends_it(slow):
    """Each byte comes in time: only our own limit, four times as long, ends the call."""
    slow.dribbles = True

    async def get():
        async with asyncio.timeout(2), httpx.AsyncClient(timeout=0.5) as client:
            await client.get(f"{slow.url}/payments/pay-1")

    error, _ = timed(blocking(get))

    assert isinstance(error, TimeoutError)
    assert not isinstance(error, httpx.TimeoutException)


def test_no_more_calls_than_allowed_are_in_flight_and_others_wait_until_their_deadline(
    slow, settings
):
    settings.PORTONE_MAX_IN_FLIGHT = 3
    slow.hold_back()

    async def call_many():
        portone = PortOne(sdk_client(), charges_by_server=True)
        first = [asyncio.create_task(fetch(portone, n, timeout=60)) for n in range(3)]
        while slow.in_flight < 3:
            await asyncio.sleep(0.01)
        others = [fetch(portone, n, timeout=0.3) for n in range(3, 9)]
        refused = await asyncio.gather(*others, return_exceptions=True)
        slow.let_go()
        return [*await asyncio.gather(*first), *refused]

    def fetch(portone, n, *, timeout):
        return portone.fetch(number=f"pay-{n}", timeout=timeout)

    results = blocking(call_many)()

    assert slow.most_in_flight == 3
    refused = [each for each in results if isinstance(each, GatewayUnavailable)]
    assert [each.code for each in refused] == ["too_many_calls"] * 6
    assert [each.status for each in results[:3]] == ["unpaid"] * 3


def test_control_without_the_bound_all_are_in_flight(slow):
    slow.hold_back()

    async def call_many():
        calls = [gateway().fetch(number=f"pay-{n}", timeout=10) for n in range(9)]
        done = asyncio.gather(*calls)
        while slow.in_flight < 9:
            await asyncio.sleep(0.01)
        slow.let_go()
        return await done

    assert len(blocking(call_many)()) == 9


# -- settlement ------------------------------------------------------------------------------------


@pytest.fixture
def charged(slow, now):
    """Payments that the gateway took, and of which we don't know: the processes were killed."""
    buyers = make_buyers(6, now)
    for buyer in buyers:
        number = buyer.start().number
        slow.paid.add(number)
    Payment.objects.update(state="charging", charging_at=now, due_at=now)
    return list(Payment.objects.order_by("pk"))


def test_a_settlement_that_hangs_delays_no_other(slow, charged):
    """Two of them hang; one turn of the worker settles all others, and no slot waits for it."""
    slow.hanging = {payment.number for payment in charged[:2]}

    tasks.resume()

    wait_until(lambda: Payment.objects.filter(state="succeeded").count() == 4)
    assert {it.number for it in Payment.objects.filter(state="charging")} == slow.hanging
    slow.hanging.clear()


def test_a_settlement_that_hangs_is_given_up_at_its_deadline_and_tried_again(
    slow, charged, settings
):
    settings.PORTONE_TIMEOUT = 0.5
    slow.hanging = {payment.number for payment in charged}
    tasks.resume()
    settle_in_background()
    assert set(Payment.objects.values_list("state", flat=True)) == {"charging"}

    settings.PORTONE_TIMEOUT = 20
    slow.hanging.clear()
    Payment.objects.update(due_at=charged[0].created_at)
    tasks.resume()
    settle_in_background()

    assert set(Payment.objects.values_list("state", flat=True)) == {"succeeded"}


def test_what_a_killed_worker_had_claimed_is_due_again_within_fifteen_seconds(
    slow, charged, settings, now
):
    settings.PORTONE_TIMEOUT = 8  # the default
    assert len(services.claim_due_payments(now=now)) == 6  # and dies

    assert max((it.due_at - now).total_seconds() for it in Payment.objects.all()) <= 15
    assert services.claim_due_payments(now=now) == []


def test_no_more_is_claimed_than_may_be_in_flight(slow, charged, settings):
    settings.PORTONE_MAX_IN_FLIGHT = 4
    slow.hold_back()

    tasks.resume()
    assert Payment.objects.filter(attempts=1).count() == 4
    tasks.resume()
    assert Payment.objects.filter(attempts=1).count() == 4
    slow.let_go()
    settle_in_background()
    tasks.resume()
    settle_in_background()

    assert set(Payment.objects.values_list("state", flat=True)) == {"succeeded"}


def test_a_charge_that_is_not_known_is_asked_for_again_within_five_seconds(charged, settings):
    """However often it was tried: workers come every two seconds, and ten are promised."""
    Payment.objects.update(attempts=10)
    settings.PORTONE_URL = "http://127.0.0.1:1"

    tasks.resume()
    settle_in_background()

    pauses = [(it.due_at - clock.now()).total_seconds() for it in Payment.objects.all()]
    assert len(pauses) == 6
    assert 1 < max(pauses) <= 5


def open_breaker(now, *, probe_at):
    opened, probing = (int(1000 * at.timestamp()) for at in (now, probe_at))
    redis.client().hset(keys.breaker("portone"), mapping={"opened": opened, "probing": probing})


def test_while_the_breaker_is_open_nothing_is_settled_and_all_stays_due(slow, charged, now):
    open_breaker(now, probe_at=now + timedelta(hours=1))

    tasks.resume()

    assert set(Payment.objects.values_list("attempts", "due_at")) == {(0, now)}


def test_one_settlement_is_the_probe_of_an_open_breaker_and_all_others_follow(slow, charged, now):
    open_breaker(now, probe_at=now)
    tasks.resume()
    settle_in_background()
    assert Payment.objects.filter(state="succeeded").count() == 1

    tasks.resume()
    settle_in_background()

    assert set(Payment.objects.values_list("state", flat=True)) == {"succeeded"}


def test_without_redis_all_that_is_due_is_settled(slow, charged, now, monkeypatch):
    open_breaker(now, probe_at=now + timedelta(hours=1))
    monkeypatch.setattr(store.redis, "client", lambda: Redis(port=1))
    monkeypatch.setattr(store, "_run", AsyncMock(return_value=None))

    tasks.resume()
    settle_in_background()

    assert set(Payment.objects.values_list("state", flat=True)) == {"succeeded"}


def test_a_key_is_used_once_by_many_who_begin_at_once(slow, now):
    [buyer] = make_buyers(1, now)
    slow.hold_back()

    async def begin_often():
        order = {"code": buyer.code, "fan_id": buyer.fan.pk, "token": buyer.token, "now": now}
        key = {"payment_key": uuid4(), "language": "en"}
        begun = asyncio.gather(*(services.abegin_payment(**order, **key) for _ in range(5)))
        while slow.in_flight < 5:
            await asyncio.sleep(0.01)
        slow.let_go()
        return await begun

    begun = blocking(begin_often)()

    assert {payment.state for payment in begun} == {"prepared"}
    assert Payment.objects.count() == 1
