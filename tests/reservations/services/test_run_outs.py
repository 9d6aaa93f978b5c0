"""Whoever lets holds run out again and again has to cool down; holds of a range are counted."""

from datetime import timedelta
from threading import Barrier

import pytest

from reservations import services
from reservations.services import SeatChoice
from tests.making import make_user, seat_ids
from tests.race import together
from ticketing.core import redis
from ticketing.core.browsers import Browser
from ticketing.core.errors import TooManyRequests
from waiting_queue import keys, store
from waiting_queue.errors import CoolingDown
from waiting_queue.models import PlaceSignals
from waiting_queue.services import PassProof

pytestmark = pytest.mark.django_db(transaction=True)
NETWORK = "203.0.113.0/24"


def proof(address: str = "203.0.113.7", device: str = "") -> PassProof:
    return PassProof(Browser(device or "new", "" if device else "cookie"), address=address)


def hold(event, person, now, seat=0, **more):
    choice = SeatChoice.named([seat_ids(event)[seat]])
    return services.hold_seats(
        event_id=event.pk, choice=choice, fan_id=person.pk, now=now, proof=proof(**more)
    )


def run_out(event, fan, now, times=1):
    for _ in range(times):
        held = hold(event, fan, now)
        services.expire_holds(now=held.reservation.deadline)


def test_the_third_hold_that_runs_out_brings_a_pause(event, fan, now):
    run_out(event, fan, now, times=3)

    with pytest.raises(CoolingDown) as refusal:
        hold(event, fan, now)

    assert 0 < refusal.value.retry_after <= 600


def test_two_are_no_reason(event, fan, now):
    run_out(event, fan, now, times=2)

    assert hold(event, fan, now).is_new


def test_seats_that_are_given_back_are_no_reason(event, fan, now):
    for _ in range(4):
        held = hold(event, fan, now)
        services.release(event_id=event.pk, code=held.reservation.code, fan_id=fan.pk, now=now)

    assert hold(event, fan, now).is_new


def test_after_the_pause_one_more_is_enough(event, fan, now):
    run_out(event, fan, now, times=3)
    redis.queue_client().delete(keys.cool_down(event.pk, "person", str(fan.pk)))  # it is over

    run_out(event, fan, now)

    with pytest.raises(CoolingDown):
        hold(event, fan, now)


def test_the_pause_is_for_the_browser_and_not_for_the_neighbours(event, fan, now):
    PlaceSignals.objects.create(
        event=event,
        person=fan.pk,
        at=now,
        entry="1",
        address_range=NETWORK,
        signals={"device": "d"},
    )
    run_out(event, fan, now, times=3)

    with pytest.raises(CoolingDown):
        hold(event, make_user(), now, device="d")
    assert hold(event, make_user(), now, device="other").is_new
    kept = PlaceSignals.objects.get()
    assert kept.signals["holds_run_out"] == 3  # operators see it


def test_so_many_of_one_range_pause_the_range(event, now, settings):
    settings.RUN_OUTS_PER_RANGE = 2
    for entry in "12":
        fan = make_user()
        PlaceSignals.objects.create(
            event=event, person=fan.pk, at=now, entry=entry, address_range=NETWORK
        )
        run_out(event, fan, now)

    with pytest.raises(CoolingDown):
        hold(event, make_user(), now)
    assert hold(event, make_user(), now, address="198.51.100.1").is_new


def test_holds_of_one_range_are_bounded(event, fan, now, settings):
    settings.HOLDS_PER_RANGE = 2
    for seat in range(2):
        hold(event, fan, now, seat=seat)

    with pytest.raises(TooManyRequests):
        hold(event, make_user(), now, seat=2)
    assert hold(event, make_user(), now, seat=2, address="198.51.100.1").is_new


def test_holds_with_one_browser_are_bounded(event, fan, now, settings):
    settings.HOLDS_PER_DEVICE = 1
    hold(event, fan, now, device="d")

    with pytest.raises(TooManyRequests):
        hold(event, make_user(), now, seat=1, device="d")


def test_what_no_proxy_names_is_not_counted(event, fan, now, settings):
    settings.HOLDS_PER_RANGE = 1
    for seat in range(2):
        hold(event, fan, now, seat=seat, address="127.0.0.1")


def test_of_run_outs_at_once_none_is_lost(event):
    call = store.count_run_out(event.pk, "1", network=NETWORK, device="")

    counts = together(8, lambda _: store.run(call)[0])

    assert sorted(counts) == list(range(1, 9))


def test_control_counting_in_two_steps_loses_some(event):
    client, key, all_have_read = redis.queue_client(), "test:run_outs", Barrier(8)

    def count(_):
        before = int(client.get(key) or 0)
        all_have_read.wait(10)
        client.set(key, before + 1)
        return before + 1

    assert set(together(8, count)) == {1}


def test_a_cool_down_ends_by_itself(event, fan, now):
    run_out(event, fan, now, times=3)

    left = store.cool_down_ms(event.pk, str(fan.pk))

    assert 0 < left <= timedelta(minutes=10).total_seconds() * 1000
