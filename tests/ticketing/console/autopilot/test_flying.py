"""The autopilot at work on a real queue: once per look, audited, off at one press."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from reservations.models import Reservation
from tests.making import make_user
from ticketing.console import selectors, services, store
from ticketing.console.models import Autopilot
from ticketing.console.pilot import Limits
from ticketing.console.words import change_rows
from ticketing.core import redis
from ticketing.core.errors import InvalidInput
from ticketing.events.models import Seat
from waiting_queue import services as queues
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db
LIMITS = Limits(lowest=0.1, highest=50, page_ms=800, database_ms=60_000)


@pytest.fixture
def flown(sale, operator, now):
    """A sale at 0.2 a second, flown by itself, with room for some."""
    slow = {"admit_per_second": 0.2}
    queues.set_knobs(event_id=sale.pk, knobs=slow, by=operator, now=now)
    services.switch_on(event_id=sale.pk, limits=LIMITS, by=operator, why="busy", now=now)
    return sale


def at(now, seconds):
    return now + timedelta(seconds=seconds)


def look(now, page_ms):
    """One look, at pages that take so long."""
    store.beat("web host 1", now, page_ms)
    services.sample_sales(now=now)
    return services.fly(now=now)


def rate():
    return SaleQueue.objects.get().admit_per_second


def test_it_is_off_unless_somebody_switches_it_on(sale, now):
    assert look(now, 100) == {}
    assert rate() == 10


def test_health_lets_it_climb_and_overload_brings_it_down(flown, now):
    look(now, 100)
    climbed = rate()
    look(at(now, 5), 5_000)

    assert climbed == 0.21
    assert rate() < climbed


def test_every_step_is_written_down_with_its_reason(flown, now):
    look(now, 5_000)

    step = QueueChange.objects.filter(what="admit_per_second").first()
    assert (step.by, step.before, step.after) == (None, "0.2", "0.1")
    assert step.why == "autopilot: slow_pages 5000 800"
    told = change_rows([step])[0]
    assert "5,000" in told["why"]
    assert told["by"]


def test_switching_on_and_off_is_written_down_too(flown, operator, now):
    services.switch_off(event_id=flown.pk, by=operator, now=now)

    off, on = QueueChange.objects.filter(what="autopilot")
    assert (on.by, on.before, on.after, on.why) == (
        *(operator, "off", "0.1–50/s, 800 ms, 60000 ms"),
        "busy",
    )
    assert (off.by, off.after) == (operator, "off")


def test_once_off_it_touches_nothing(flown, operator, now):
    services.switch_off(event_id=flown.pk, by=operator, now=now)

    assert look(now, 5_000) == {}
    assert rate() == 0.2


def test_a_turn_by_hand_switches_it_off_and_stands(flown, operator, now):
    look(now, 100)
    queues.set_knobs(event_id=flown.pk, knobs={"admit_per_second": 7}, by=operator, now=at(now, 1))

    look(at(now, 6), 5_000)

    assert rate() == 7
    assert not Autopilot.objects.get().is_on
    assert QueueChange.objects.filter(what="autopilot").first().why == "autopilot: by_hand"


def test_even_a_turn_there_and_back_is_one_by_hand(flown, operator, now):
    for value in (9, 0.2):
        knobs = {"admit_per_second": value}
        queues.set_knobs(event_id=flown.pk, knobs=knobs, by=operator, now=now)

    assert look(at(now, 5), 5_000) == {}
    assert not Autopilot.objects.get().is_on


def test_other_knobs_may_be_turned_while_it_flies(flown, operator, now):
    queues.set_knobs(event_id=flown.pk, knobs={"max_inside": 50}, by=operator, now=now)

    look(now, 100)

    assert Autopilot.objects.get().is_on
    assert rate() == 0.21


def test_a_second_look_at_the_same_moment_decides_nothing(flown, now):
    assert look(now, 100)
    assert look(at(now, 1), 100) == {}
    assert look(at(now, 5), 100)


def test_it_holds_without_data_and_says_so(flown, now):
    services.sample_sales(now=now)
    made = services.fly(now=now)[flown.pk]

    assert (made.why, rate()) == ("no_data", 0.2)
    assert Autopilot.objects.get().why == "no_data"
    assert not QueueChange.objects.filter(why__startswith="autopilot").exists()


def test_what_a_silent_process_said_long_ago_is_no_data(now):
    store.beat("web host 1", now, 700)
    store.beat("web host 2", at(now, 10), 300)

    assert store.page_ms(at(now, 10)) == 700
    assert store.page_ms(at(now, 20)) == 300
    assert store.page_ms(at(now, 60)) is None


def test_a_sold_out_house_stops_it(flown, now):
    Seat.objects.update(state="sold")

    assert look(now, 100)[flown.pk].why == "stock"
    assert rate() == 0.01


def test_people_inside_without_seats_count_against_the_stock(flown, event, fan, now):
    free = Seat.objects.filter(event=event, state="available").count()
    assert selectors.room_for(flown.pk, called=2, inside=4) == free - 6
    Reservation.objects.create(
        event=event, fan=fan, created_at=now, deadline=at(now, 60), total=1, currency="KRW"
    )

    assert selectors.room_for(flown.pk, called=2, inside=4) == free - 5


def test_a_paused_queue_is_left_alone(flown, operator, now):
    queues.move_queue(event_id=flown.pk, to="paused", by=operator, now=now)

    assert look(now, 5_000) == {}
    assert rate() == 0.2


def test_it_goes_on_after_redis_forgot_everything(flown, now):
    look(now, 100)
    redis.client().flushdb()

    made = services.fly(now=at(now, 5))

    assert Autopilot.objects.get().is_on
    assert made == {} or made[flown.pk].why in ("no_data", "stock")


def test_bounds_that_are_none_are_refused(sale, operator, now):
    with pytest.raises(InvalidInput):
        services.switch_on(event_id=sale.pk, limits=Limits(9, 3, 800, 100), by=operator, now=now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Autopilot.objects.create(queue=sale, lowest=9, highest=3)


# -- on the console --------------------------------------------------------------------------------


@pytest.fixture
def console(operator):
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def page(console, sale):
    return console.get(reverse("console:event", args=[sale.pk])).content.decode()


def test_the_console_switches_it_on_and_one_press_switches_it_off(console, sale):
    form = {"lowest": 2, "highest": 20, "page_ms": 500, "database_ms": 50, "why": "busy"}
    console.post(reverse("console:autopilot", args=[sale.pk]), form)
    assert "Switch the autopilot off" in page(console, sale)

    console.post(reverse("console:autopilot_off", args=[sale.pk]))

    assert not Autopilot.objects.get().is_on
    assert "Switch the autopilot on" in page(console, sale)


def test_wrong_bounds_are_asked_for_again(console, sale):
    form = {"lowest": 30, "highest": 20, "page_ms": 500, "database_ms": 50}

    answer = console.post(reverse("console:autopilot", args=[sale.pk]), form)

    assert "lower bound" in answer.content.decode()
    assert not Autopilot.objects.exists()


def test_the_console_shows_every_step_and_what_it_thinks(console, flown, now):
    look(now, 5_000)

    shown = page(console, flown)

    assert "pages take 5,000 ms, the target is 800 ms" in shown
    assert "Its last steps" in shown
    assert "95 % of pages within" in shown


def test_a_sample_carries_what_it_thinks_to_open_consoles(flown, now):
    look(now, 5_000)

    figures = services.sample_sales(now=at(now, 1))[flown.pk]

    assert figures["pilot"] == ["slow_pages", 5_000, 800]
    assert figures["page_ms"] == 5_000


def test_after_a_turn_by_hand_the_page_says_off_at_once(console, flown, now):
    by_hand = {"admit_per_second": 7}
    queues.set_knobs(event_id=flown.pk, knobs=by_hand, by=make_user(password=None), now=now)

    assert "Switch the autopilot on" in page(console, flown)
