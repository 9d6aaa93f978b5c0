"""Asynchronous holds: in order of arrival for each seat, once, whoever dies."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection, transaction

from reservations import errors, locks, services, sql
from reservations.live.frames import request_body
from reservations.models import HoldRequest, RequestedSeat, Reservation
from reservations.services import async_holds, hold_requests
from tests.making import make_user, seat_ids
from tests.race import together
from tests.reservations.acting import hold
from ticketing.events.models import Seat

pytestmark = pytest.mark.django_db(transaction=True)
State = HoldRequest.State
THOUSANDS = 10_000


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    monkeypatch.setattr(hold_requests, "wake_worker", lambda: None)


def ask(event, fan, now, *seats, **more):
    return services.request_hold(event_id=event.pk, seat_ids=seats, fan_id=fan.pk, now=now, **more)


def work(now):
    while services.process_hold_requests(now=now):
        pass


def outcomes(*requests):
    for request in requests:
        request.refresh_from_db()
    return [request.state for request in requests]


def test_a_request_is_accepted_at_once_and_fulfilled_later(event, fan, now):
    one, *_ = seat_ids(event)
    request = ask(event, fan, now, one)

    assert (request.state, Reservation.objects.count()) == (State.PENDING, 0)
    work(now)

    assert outcomes(request) == [State.SUCCESS]
    assert request.reservation.seats.get().seat_id == one
    assert not RequestedSeat.objects.exists()


def test_the_first_to_come_gets_the_seat_and_the_others_are_told(event, now):
    one, two, *_ = seat_ids(event)
    fans = [make_user(password=None) for _ in range(5)]
    requests = [ask(event, fan, now, one) for fan in fans]
    other = ask(event, make_user(password=None), now, two)

    work(now)

    assert outcomes(*requests, other) == [State.SUCCESS, *[State.FAILED] * 4, State.SUCCESS]
    won = Reservation.objects.get(seats__seat=one)
    why = {"seat": one, "why": "held", "until": won.deadline.isoformat()}
    refusal = {"code": "seat_taken", "details": {"seats": [one], "taken": [why]}}
    assert [request.refusal for request in requests[1:]] == [refusal] * 4
    assert won.fan == fans[0]


def test_requests_that_share_a_seat_wait_for_each_other_and_only_those(event, now):
    one, two, three, four, *_ = seat_ids(event)
    wishes = [(one, two), (two, three), (three,), (four,)]
    requests = [ask(event, make_user(password=None), now, *wish) for wish in wishes]

    first = services.process_hold_requests(now=now)
    seen = outcomes(*requests)
    work(now)

    assert first == 2
    assert seen == [State.SUCCESS, State.FAILED, State.PENDING, State.SUCCESS]
    assert outcomes(*requests) == [State.SUCCESS, State.FAILED, State.SUCCESS, State.SUCCESS]


def test_a_refusal_lets_the_next_have_it(event, fan, rival, now):
    seats = seat_ids(event)
    hold(event, fan, now, *seats[:4])
    requests = [ask(event, fan, now, seats[5]), ask(event, rival, now, seats[5])]

    work(now)

    assert outcomes(*requests) == [State.FAILED, State.SUCCESS]
    assert requests[0].refusal["code"] == errors.TooManySeats.code


def test_the_same_key_is_the_same_request(event, fan, now):
    one, two, *_ = seat_ids(event)

    assert ask(event, fan, now, one, key="k") == ask(event, fan, now, two, key="k")
    assert HoldRequest.objects.count() == 1


def test_a_worker_that_died_is_replaced_and_nothing_is_done_twice(event, fan, now, monkeypatch):
    request = ask(event, fan, now, seat_ids(event)[0])
    monkeypatch.setattr(async_holds, "_process", lambda *_: None)  # dies right after its claim
    services.process_hold_requests(now=now)
    monkeypatch.undo()

    work(now + timedelta(seconds=29))
    assert outcomes(request) == [State.PROCESSING]
    work(now + timedelta(seconds=30))

    assert outcomes(request) == [State.SUCCESS]


def test_a_worker_whose_lease_ended_does_nothing(event, fan, now):
    request = ask(event, fan, now, seat_ids(event)[0])
    work(now)

    async_holds._process(request.pk, now + async_holds.LEASE, now)

    assert Reservation.objects.count() == 1


@pytest.fixture
def broken_seat(monkeypatch):
    """Seats whose hold fails with an error that nobody expects."""
    broken, real = set(), async_holds.reserve_seats

    def reserve(*, choice, **order):
        if broken & set(choice.seats):
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")
        return real(choice=choice, **order)

    monkeypatch.setattr(async_holds, "reserve_seats", reserve)
    return broken


def test_an_unexpected_error_delays_nobody_else(event, now, broken_seat, caplog):
    one, two, three, *_ = seat_ids(event)
    broken_seat.add(one)
    requests = [ask(event, make_user(password=None), now, seat) for seat in (one, two, three)]

    services.process_hold_requests(now=now)

    assert outcomes(*requests) == [State.PROCESSING, State.SUCCESS, State.SUCCESS]
    assert "division by zero" in caplog.text


def test_a_request_that_failed_unexpectedly_is_tried_again_soon(event, fan, now, broken_seat):
    one, *_ = seat_ids(event)
    broken_seat.add(one)
    request = ask(event, fan, now, one)
    work(now)
    broken_seat.clear()

    work(now + timedelta(seconds=1))
    assert outcomes(request) == [State.PROCESSING]
    work(now + async_holds.RETRY)

    assert outcomes(request) == [State.SUCCESS]


def test_a_request_that_goes_on_failing_is_refused_and_the_next_gets_its_turn(
    event, fan, rival, now, broken_seat, monkeypatch
):
    one, two, *_ = seat_ids(event)
    broken_seat.add(two)
    first, second = ask(event, fan, now, one, two), ask(event, rival, now, one)
    work(now)
    later = now + async_holds.PATIENCE

    work(later)

    assert outcomes(first, second) == [State.FAILED, State.SUCCESS]
    assert request_body(first)["refusal"]["code"] == "server_error"


def test_every_step_is_published(event, fan, now, monkeypatch):
    published = []
    monkeypatch.setattr(
        async_holds, "publish_requests", lambda them: published.extend(it.state for it in them)
    )
    ask(event, fan, now, seat_ids(event)[0])
    work(now)

    assert published == [State.PROCESSING, State.SUCCESS]


def add_requests(event, fan, seat, now, count):
    """As many requests for one seat, inserted by PostgreSQL."""
    values = {"event": event.pk, "fan": fan.pk, "seat": seat, "now": now, "count": count}
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH request AS (
                INSERT INTO reservations_holdrequest
                    (code, event_id, fan_id, seats, state, key, created_at)
                SELECT 'R' || n, %(event)s, %(fan)s, ARRAY[%(seat)s]::bigint[], 'pending', '',
                       %(now)s
                FROM generate_series(1, %(count)s) AS n
                RETURNING id
            )
            INSERT INTO reservations_requestedseat (request_id, seat_id)
            SELECT id, %(seat)s FROM request
            """,
            values,
        )


def test_thousands_of_requests_for_one_seat_cost_a_few_statements(event, fan, now):
    one, *_ = seat_ids(event)
    first = ask(event, fan, now, one)
    add_requests(event, fan, one, now, THOUSANDS)
    connection.force_debug_cursor = True
    connection.queries_log.clear()

    work(now)

    connection.force_debug_cursor = False
    assert len(connection.queries) < 40
    assert outcomes(first) == [State.SUCCESS]
    assert HoldRequest.objects.filter(state=State.FAILED).count() == THOUSANDS


def test_a_sold_out_event_accepts_no_requests(event, fan, now):
    Seat.objects.update(state="sold")
    services.recount_seats(event_id=event.pk)

    with pytest.raises(errors.SoldOut):
        ask(event, fan, now, seat_ids(event)[0])


# -- a refusal and a worker at the same moment ----------------------------------------------------


def refused_while_claimed(request, now):
    """What a refusal of everybody who waits for the seat returns before a claim is committed."""

    def refuse(_):
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '300ms'")
        taken = [{"seat": seat, "why": "held"} for seat in request.seats]
        return locks.refuse_waiting_requests(taken=taken, now=now)

    with transaction.atomic():
        assert locks.claim_requests(now=now, lease=now + timedelta(minutes=1), batch=1)
        (result,) = together(1, refuse)
    return result


def test_a_request_that_a_worker_claims_is_not_refused_at_the_same_time(event, fan, now):
    request = ask(event, fan, now, seat_ids(event)[0])

    assert refused_while_claimed(request, now) == []
    assert outcomes(request) == [State.PROCESSING]


def test_control_without_skip_locked_the_refusal_waits_for_the_worker(event, fan, now, monkeypatch):
    request = ask(event, fan, now, seat_ids(event)[0])
    statement = sql.statement
    monkeypatch.setattr(sql, "statement", lambda name: statement(name).replace(" SKIP LOCKED", ""))

    assert isinstance(refused_while_claimed(request, now), OperationalError)
