"""Requests that are answered later: in order of arrival, also when a worker dies."""

import signal
from collections.abc import Callable
from contextlib import closing

import pytest

from reservations.lab import keys
from reservations.lab.request_queue import Request, RequestQueue, State
from reservations.lab.worker import Worker
from tests.reservations.lab.dying import (
    DiesAfterDeciding,
    DiesBeforeDeciding,
    killed_in,
    work_and_die,
)
from tests.reservations.lab.making import make_config, make_database

EVERYTHING = [State.PENDING, State.PROCESSING]


@pytest.fixture
def config():
    return make_config(lease=1.0, workers=1)


@pytest.fixture
def requests(redis, config):
    found = RequestQueue(redis, config)
    found.open(0)
    return found


@pytest.fixture
def work(redis, config, schema):
    """Let a worker work until so many requests are answered."""

    def until(answered: int, kind: type[Worker] = Worker) -> list[Request]:
        done: list[Request] = []

        class Counted(kind):
            def handle(self, request: Request) -> None:
                super().handle(request)
                done.append(request)

        with closing(make_database(config)) as database:
            Counted(config, database, redis, 0).work(lambda: len(done) >= answered)
        return done

    return until


def post_all(requests: RequestQueue, buyers: range, seat: int = 1) -> list[Request]:
    return [requests.post(seat=seat, buyer=buyer) for buyer in buyers]


def test_a_request_is_pending_at_once(requests, schema):
    request = requests.post(seat=1, buyer=7)

    assert requests.states(request.id) == [State.PENDING]
    assert schema.sales() == []


def test_requests_are_answered_in_order_of_arrival(requests, work, schema):
    posted = post_all(requests, range(5))

    assert [request.id for request in work(5)] == [request.id for request in posted]
    assert [sale.buyer for sale in schema.sales()] == [0]


def test_the_answer_is_pushed_and_can_be_asked_for(requests, work):
    first, second = post_all(requests, range(2))
    work(2)

    assert [requests.answer(first), requests.answer(second)] == [State.SUCCESS, State.FAILED]
    assert requests.states(first.id) == [*EVERYTHING, State.SUCCESS]
    assert requests.states(second.id) == [*EVERYTHING, State.FAILED]


@pytest.mark.parametrize("kind", [DiesBeforeDeciding, DiesAfterDeciding])
def test_the_next_worker_goes_on_where_a_killed_one_stopped(
    requests, work: Callable, config, schema, kind
):
    posted = post_all(requests, range(3))
    assert killed_in(work_and_die, kind, config) == -signal.SIGKILL
    already = len(schema.sales())

    assert [request.id for request in work(3)] == [request.id for request in posted]
    assert already == (kind is DiesAfterDeciding)
    assert [sale.buyer for sale in schema.sales()] == [0]
    assert [requests.answer(request) for request in posted] == [
        *(State.SUCCESS, State.FAILED, State.FAILED)
    ]


def test_control_a_worker_that_forgot_whose_sale_it_was_would_refuse_the_buyer(
    requests, work, config, schema
):
    class Forgetful(Worker):
        def decide(self, request: Request) -> State:
            return super().decide(Request("another", request.seat, request.buyer))

    (request,) = post_all(requests, range(1))
    killed_in(work_and_die, DiesAfterDeciding, config)
    work(1, Forgetful)

    assert requests.answer(request) is State.FAILED  # although the seat is theirs


def test_nothing_is_left_to_do_when_all_are_answered(requests, work, redis, config):
    post_all(requests, range(3))
    work(3)

    assert redis.xpending(keys.requests(config, 0), "workers")["pending"] == 0


def test_a_seat_has_one_partition_and_partitions_share_the_seats(redis):
    requests = RequestQueue(redis, make_config(workers=3))

    assert [requests.partition_of(seat) for seat in range(1, 7)] == [1, 2, 0, 1, 2, 0]
