"""The autopilot on a real queue: one decision per run, audited, switched off with one press."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from reservations.models import Reservation
from tests.making import make_user
from ticketing.console import selectors, services, store
from ticketing.console.models import Autopilot
from ticketing.console.services.autopilot_rules import AutopilotBounds
from ticketing.console.views.labels import change_rows
from ticketing.core import redis
from ticketing.core.errors import InvalidInput
from ticketing.events.models import Seat
from waiting_queue import services as queues
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db
BOUNDS = AutopilotBounds(lowest=0.1, highest=50, page_ms=800, database_ms=60_000)


@pytest.fixture
def piloted(sale, operator, now):
    """A sale at 0.2 admissions a second with the autopilot on, and free seats."""
    slow = {"admit_per_second": 0.2}
    queues.set_knobs(event_id=sale.pk, knobs=slow, by=operator, now=now)
    services.enable_autopilot(event_id=sale.pk, bounds=BOUNDS, by=operator, why="busy", now=now)
    return sale


def at(now, seconds):
    return now + timedelta(seconds=seconds)


def run_once(now, page_ms):
    """Run the autopilot once while pages take this long."""
    store.record_heartbeat("web host 1", now, page_ms)
    services.sample_sales(now=now)
    return services.run_autopilots(now=now)


def rate():
    return SaleQueue.objects.get().admit_per_second


def test_it_is_off_unless_somebody_switches_it_on(sale, now):
    assert run_once(now, 100) == {}
    assert rate() == 10


def test_the_rate_rises_with_fast_pages_and_falls_with_slow_ones(piloted, now):
    run_once(now, 100)
    climbed = rate()
    run_once(at(now, 5), 5_000)

    assert climbed == 0.21
    assert rate() < climbed


def test_every_step_is_audited_with_its_reason(piloted, now):
    run_once(now, 5_000)

    step = QueueChange.objects.filter(what="admit_per_second").first()
    assert (step.by, step.before, step.after) == (None, "0.2", "0.1")
    assert step.why == "autopilot: slow_pages 5000 800"
    row = change_rows([step])[0]
    assert "5,000" in row["why"]
    assert row["by"]


def test_switching_on_and_off_is_audited_too(piloted, operator, now):
    services.disable_autopilot(event_id=piloted.pk, by=operator, now=now)

    off, on = QueueChange.objects.filter(what="autopilot")
    assert (on.by, on.before, on.after, on.why) == (
        *(operator, "off", "0.1–50/s, 800 ms, 60000 ms"),
        "busy",
    )
    assert (off.by, off.after) == (operator, "off")


def test_once_off_it_changes_nothing(piloted, operator, now):
    services.disable_autopilot(event_id=piloted.pk, by=operator, now=now)

    assert run_once(now, 5_000) == {}
    assert rate() == 0.2


def test_a_rate_set_by_hand_switches_it_off_and_stays(piloted, operator, now):
    run_once(now, 100)
    queues.set_knobs(
        event_id=piloted.pk, knobs={"admit_per_second": 7}, by=operator, now=at(now, 1)
    )

    run_once(at(now, 6), 5_000)

    assert rate() == 7
    assert not Autopilot.objects.get().is_on
    assert QueueChange.objects.filter(what="autopilot").first().why == "autopilot: by_hand"


def test_a_rate_set_by_hand_and_back_also_switches_it_off(piloted, operator, now):
    for value in (9, 0.2):
        knobs = {"admit_per_second": value}
        queues.set_knobs(event_id=piloted.pk, knobs=knobs, by=operator, now=now)

    assert run_once(at(now, 5), 5_000) == {}
    assert not Autopilot.objects.get().is_on


def test_other_knobs_may_be_set_while_it_is_on(piloted, operator, now):
    queues.set_knobs(event_id=piloted.pk, knobs={"max_inside": 50}, by=operator, now=now)

    run_once(now, 100)

    assert Autopilot.objects.get().is_on
    assert rate() == 0.21


def test_a_second_run_within_the_interval_decides_nothing(piloted, now):
    assert run_once(now, 100)
    assert run_once(at(now, 1), 100) == {}
    assert run_once(at(now, 5), 100)


def test_without_measurements_it_keeps_the_rate_and_says_so(piloted, now):
    services.sample_sales(now=now)
    decision = services.run_autopilots(now=now)[piloted.pk]

    assert (decision.why, rate()) == ("no_data", 0.2)
    assert Autopilot.objects.get().why == "no_data"
    assert not QueueChange.objects.filter(why__startswith="autopilot").exists()


def test_the_page_latency_of_a_silent_process_is_ignored(now):
    store.record_heartbeat("web host 1", now, 700)
    store.record_heartbeat("web host 2", at(now, 10), 300)

    assert store.page_ms(at(now, 10)) == 700
    assert store.page_ms(at(now, 20)) == 300
    assert store.page_ms(at(now, 60)) is None


def test_a_sold_out_event_stops_it(piloted, now):
    Seat.objects.update(state="sold")

    assert run_once(now, 100)[piloted.pk].why == "stock"
    assert rate() == 0.01


def test_people_inside_without_seats_count_against_the_stock(piloted, event, fan, now):
    free = Seat.objects.filter(event=event, state="available").count()
    assert selectors.room_for(piloted.pk, called=2, inside=4) == free - 6
    Reservation.objects.create(
        event=event, fan=fan, created_at=now, deadline=at(now, 60), total=1, currency="KRW"
    )

    assert selectors.room_for(piloted.pk, called=2, inside=4) == free - 5


def test_a_paused_queue_is_left_alone(piloted, operator, now):
    queues.move_queue(event_id=piloted.pk, to="paused", by=operator, now=now)

    assert run_once(now, 5_000) == {}
    assert rate() == 0.2


def test_it_stays_on_after_redis_lost_everything(piloted, now):
    run_once(now, 100)
    redis.client().flushdb()

    decision = services.run_autopilots(now=at(now, 5))

    assert Autopilot.objects.get().is_on
    assert decision == {} or decision[piloted.pk].why in ("no_data", "stock")


def test_a_lower_bound_above_the_upper_one_is_refused(sale, operator, now):
    bounds = AutopilotBounds(9, 3, 800, 100)
    with pytest.raises(InvalidInput):
        services.enable_autopilot(event_id=sale.pk, bounds=bounds, by=operator, now=now)
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


def test_invalid_bounds_show_the_form_again(console, sale):
    form = {"lowest": 30, "highest": 20, "page_ms": 500, "database_ms": 50}

    answer = console.post(reverse("console:autopilot", args=[sale.pk]), form)

    assert "lower bound" in answer.content.decode()
    assert not Autopilot.objects.exists()


def test_the_console_shows_every_step_and_the_last_reason(console, piloted, now):
    run_once(now, 5_000)

    content = page(console, piloted)

    assert "pages take 5,000 ms, the target is 800 ms" in content
    assert "Its last steps" in content
    assert "95 % of pages within" in content


def test_a_sample_carries_the_last_reason_to_open_consoles(piloted, now):
    run_once(now, 5_000)

    figures = services.sample_sales(now=at(now, 1))[piloted.pk]

    assert figures["pilot"] == ["slow_pages", 5_000, 800]
    assert figures["page_ms"] == 5_000


def test_after_a_rate_set_by_hand_the_page_shows_it_off_at_once(console, piloted, now):
    by_hand = {"admit_per_second": 7}
    queues.set_knobs(event_id=piloted.pk, knobs=by_hand, by=make_user(password=None), now=now)

    assert "Switch the autopilot on" in page(console, piloted)
