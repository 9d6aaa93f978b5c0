"""Seats are held by the browser that has the pass; another takes it over, visibly."""

from dataclasses import replace
from datetime import timedelta
from threading import Event as Signal
from threading import Thread

import pytest
from django.db import connection, transaction

from reservations import gate, locks, services
from reservations.models import PassMove, Reservation
from tests.making import seat_ids
from tests.race import together, wait_unless_blocking, winners
from tests.reservations.acting import hold
from tests.reservations.functions import changed_function
from tests.waiting import PATIENCE
from ticketing.core import redis
from ticketing.core.browsers import Browser
from ticketing.core.errors import TooManyRequests
from waiting_queue import services as queue
from waiting_queue import store
from waiting_queue.errors import BadQueueToken, NotAdmitted, PassElsewhere
from waiting_queue.models import SaleQueue
from waiting_queue.services import PassProof
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.django_db(transaction=True)
A, B = PassProof(Browser("A")), PassProof(Browser("B"))
# What the control takes out of `hold_seats.sql`.
NOT_STOPPED = ("IF hold_seats.stay <> ''", "IF false AND hold_seats.stay <> ''")


@pytest.fixture
def line(event, now):
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    return queue.move_queue(event_id=event.pk, to="open", by=None, now=now)


@pytest.fixture
def inside(event, fan, line, now):
    """Inside with browser A."""
    return queue.join(event_id=event.pk, person=str(fan.pk), now=now, browser="A")


def take_over(event, fan, now, browser="B"):
    return services.take_over(event_id=event.pk, fan_id=fan.pk, browser=browser, now=now)


def pass_of(event, fan, found, now, browser="A"):
    place = QueueToken(event.pk, str(fan.pk), found.number, found.epoch)
    token = place.as_pass(browser, now)
    return PassProof(Browser(browser), token)


# -- one browser at a time -------------------------------------------------------------------------


def test_only_the_browser_that_came_in_holds_seats(event, fan, now, inside):
    one, two, *_ = seat_ids(event)

    assert hold(event, fan, now, one, proof=A).is_new
    with pytest.raises(PassElsewhere):
        hold(event, fan, now, two, proof=B)


def test_whoever_goes_on_in_another_browser_holds_seats_there(event, fan, now, inside):
    one, two, *_ = seat_ids(event)

    take_over(event, fan, now)

    assert hold(event, fan, now, one, proof=B).is_new
    with pytest.raises(PassElsewhere):
        hold(event, fan, now, two, proof=A)


def test_it_can_be_taken_back_as_often_as_a_person_may(event, fan, now, inside):
    for browser in "BA" * 10:
        take_over(event, fan, now, browser)

    assert hold(event, fan, now, seat_ids(event)[0], proof=A).is_new
    assert PassMove.objects.get().moves == 20
    with pytest.raises(TooManyRequests):
        take_over(event, fan, now)


def test_whoever_has_it_takes_over_nothing(event, fan, now, inside):
    take_over(event, fan, now, "A")

    assert not PassMove.objects.exists()


def test_asynchronous_requests_and_those_that_may_wait_need_the_pass_too(event, fan, now, inside):
    one, *_ = seat_ids(event)
    order = {"event_id": event.pk, "fan_id": fan.pk, "now": now, "proof": B}
    choice = services.SeatChoice.named([one])

    with pytest.raises(PassElsewhere):
        services.hold_or_request(**order, choice=choice)
    with pytest.raises(PassElsewhere):
        services.request_hold(**order, seat_ids=[one])


def test_somebody_who_is_not_inside_takes_nothing_over(event, fan, now, line):
    with pytest.raises(NotAdmitted):
        take_over(event, fan, now)


def test_without_a_line_any_browser_holds_seats(event, fan, now):
    one, two, *_ = seat_ids(event)

    assert hold(event, fan, now, one, proof=A).is_new
    assert hold(event, fan, now, two, proof=B).is_new


def test_the_next_stay_is_not_stopped_by_take_overs_of_the_last(event, fan, now, inside):
    for browser in "BAB":
        take_over(event, fan, now, browser)
    queue.leave(event_id=event.pk, person=str(fan.pk), now=now)
    queue.join(event_id=event.pk, person=str(fan.pk), now=now, browser="A")

    assert hold(event, fan, now, seat_ids(event)[0], proof=A).is_new


def test_after_a_rebuild_the_first_browser_that_comes_keeps_it(event, fan, now, inside):
    take_over(event, fan, now)
    queue.drain_journals()
    redis.queue_client().flushdb()
    queue.tick_open_queues(now=now + timedelta(seconds=1))
    one, two, *_ = seat_ids(event)

    assert hold(event, fan, now, one, proof=A).is_new
    with pytest.raises(PassElsewhere):
        hold(event, fan, now, two, proof=B)


# -- the pass instead of a session -----------------------------------------------------------------


def test_a_pass_is_checked_with_the_turn(event, fan, now, inside):
    proof = pass_of(event, fan, inside, now)

    assert hold(event, fan, now, seat_ids(event)[0], proof=proof).is_new


@pytest.mark.parametrize("changes", [{"number": 99}, {"epoch": "earlier"}])
def test_a_pass_of_another_stay_or_epoch_is_refused(event, fan, now, inside, changes):
    proof = pass_of(event, fan, inside, now)
    proof = replace(proof, token=replace(proof.token, **changes))

    with pytest.raises(BadQueueToken):
        hold(event, fan, now, seat_ids(event)[0], proof=proof)


def test_a_pass_that_was_taken_over_is_refused(event, fan, now, inside):
    proof = pass_of(event, fan, inside, now)
    take_over(event, fan, now)

    with pytest.raises(PassElsewhere):
        hold(event, fan, now, seat_ids(event)[0], proof=proof)


# -- at the same moment ----------------------------------------------------------------------------


@pytest.fixture
def paused_hold(event, fan, now, inside, monkeypatch):
    """A hold of browser A that was let through and is on its way to the database."""
    at_gate, go_on, results = Signal(), Signal(), []
    begin = gate.begin_attempt

    def slowly(*args):
        begun = begin(*args)
        at_gate.set()
        assert go_on.wait(PATIENCE)
        return begun

    def hold_slowly():
        try:
            results.append(hold(event, fan, now, seat_ids(event)[0], proof=A))
        except Exception as refusal:
            results.append(refusal)
        finally:
            connection.close()

    monkeypatch.setattr(gate, "begin_attempt", slowly)
    thread = Thread(target=hold_slowly)
    thread.start()
    assert at_gate.wait(PATIENCE)

    def finish():
        go_on.set()
        thread.join(PATIENCE)
        return results[0]

    return finish


def test_a_hold_on_its_way_does_not_succeed_after_the_take_over(event, fan, now, paused_hold):
    take_over(event, fan, now)

    assert isinstance(paused_hold(), PassElsewhere)
    assert not Reservation.objects.exists()


def test_control_without_the_check_in_the_database_it_does(event, fan, now, paused_hold):
    with changed_function("hold_seats", NOT_STOPPED):
        take_over(event, fan, now)

        assert paused_hold().is_new


def test_a_take_over_waits_for_the_hold_that_is_being_written(event, fan, now, inside):
    """It answers after that has committed: the new browser sees its seats."""
    seen, order = [], {"event_id": event.pk, "fan_id": fan.pk}

    def take_over_and_look():
        take_over(event, fan, now)
        seen.append(Reservation.objects.count())
        connection.close()

    other = Thread(target=take_over_and_look)
    with transaction.atomic():
        locks.lock_person_limit(**order)
        other.start()
        wait_unless_blocking(lambda: seen)
        assert seen == []
        Reservation.objects.create(
            **order, created_at=now, deadline=now + timedelta(minutes=5), total=0, currency="KRW"
        )
    other.join(PATIENCE)

    assert seen == [1]


@pytest.mark.soak
def test_of_two_browsers_that_hold_and_take_over_all_the_time_one_has_it(event, fan, now, inside):
    """After the last take-over has answered, only its browser gets seats."""
    seats, browsers = seat_ids(event), [A, B]

    def work(number):
        proof = browsers[number % 2]
        if number < 2:
            return take_over(event, fan, now, proof.browser.mark)
        return hold(event, fan, now, seats[number], proof=proof)

    results = together(8, work)

    last = max(results[:2], key=lambda found: found.moves)
    owner = next(proof for proof in browsers if proof.browser.mark == last.browser)
    other = B if owner is A else A
    held = Reservation.objects.count()
    assert held == len(winners(results[2:]))
    with pytest.raises(PassElsewhere):
        hold(event, fan, now, seats[9], proof=other)
    assert Reservation.objects.count() == held


# -- what it costs ---------------------------------------------------------------------------------


def test_the_pass_costs_a_hold_no_statement_and_no_round_trip(
    event, fan, now, inside, django_assert_num_queries, monkeypatch
):
    one, two, *_ = seat_ids(event)
    hold(event, fan, now, one, proof=A)
    trips, run_all = [], store.run_all
    monkeypatch.setattr(store, "run_all", lambda calls: trips.append(calls) or run_all(calls))

    with django_assert_num_queries(1):
        hold(event, fan, now, two, proof=A)

    assert len(trips) == 1
