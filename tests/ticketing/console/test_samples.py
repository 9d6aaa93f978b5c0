"""Samples of sales, process heartbeats and reconciliations."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.making import seat_ids
from ticketing.console import keys, services, store
from ticketing.console.heartbeats import Heartbeat
from ticketing.console.models import Reconciliation, Sample
from ticketing.console.services import sample_history, sample_sales
from ticketing.console.services.samples import per_second
from ticketing.core import redis
from ticketing.events.models import Seat
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db


def at(now, seconds):
    return now + timedelta(seconds=seconds)


def seconds_in(history):
    return [row[0] for row in history["seconds"]]


def test_a_sample_counts_people_by_stage(sale, now):
    figures = sample_sales(now=now)[sale.pk]

    assert (figures["waiting"], figures["ready"], figures["inside"]) == (5, 0, 0)
    assert (figures["joined"], figures["state"], figures["asked"]) == (5, "open", 10)


def test_rates_are_computed_from_earlier_samples(sale, now):
    sample_sales(now=now)
    for person in range(2_001, 2_011):
        queues.join(event_id=sale.pk, person=str(person), now=now)

    figures = sample_sales(now=at(now, 2))[sale.pk]

    assert figures["joins"] == 5
    assert figures["previous"] == int(now.timestamp())


def test_admissions_are_those_of_the_last_five_seconds_and_then_none(sale, now):
    """At the set pace of ten a second five come in, and nobody after them."""
    sample_sales(now=now)
    queues.tick_open_queues(now=at(now, 1))
    for person in map(str, range(1_001, 1_006)):
        queues.claim(event_id=sale.pk, person=person, now=at(now, 1))

    shown = [sample_sales(now=at(now, second))[sale.pk]["admissions"] for second in range(1, 8)]

    assert shown == [5.0, 2.5, 1.67, 1.25, 1.0, 0.0, 0.0]


def test_rates_of_a_sale_that_is_sampled_seldom_count_from_the_last_sample(now):
    before = [{"second": 95, "joined": 40}, {"second": 90, "joined": 0}]

    assert per_second({"second": 100, "joined": 60}, before, "joined") == 4
    assert per_second({"second": 100, "joined": 60}, [], "joined") == 0
    assert per_second({"second": 100, "joined": 0}, before, "joined") == 0  # after an outage


def test_seats_are_counted_by_grade_and_state(sale, event, now):
    first, second, third = seat_ids(event)[:3]
    Seat.objects.filter(pk=first).update(state="held")
    Seat.objects.filter(pk=second).update(state="sold")
    Seat.objects.filter(pk=third).update(state="blocked")

    figures = sample_sales(now=now)[sale.pk]

    grade = figures["seats"][0]
    assert (grade["code"], grade["held"], grade["sold"], grade["held_back"]) == ("R", 1, 1, 1)
    assert figures["free"] == Seat.objects.filter(event=event, state="available").count()


def test_seats_and_money_are_counted_only_every_few_seconds(sale, now):
    sample_sales(now=now)
    with CaptureQueriesContext(connection) as between:
        sample_sales(now=at(now, 1))
    with CaptureQueriesContext(connection) as later:
        sample_sales(now=at(now, 5))

    counting = [query for query in later.captured_queries if "ticketing_seat" in query["sql"]]
    assert len(between) <= 3
    assert len(counting) == 1


def test_the_number_of_statements_does_not_depend_on_the_queue_length(sale, now):
    sample_sales(now=now)
    with CaptureQueriesContext(connection) as short:
        sample_sales(now=at(now, 20))
    for person in range(3_000, 3_300):
        queues.join(event_id=sale.pk, person=str(person), now=now)
    with CaptureQueriesContext(connection) as long:
        assert sample_sales(now=at(now, 40))[sale.pk]["waiting"] == 305

    assert len(long) == len(short)


def test_a_second_has_at_most_one_sample(sale, now):
    assert sample_sales(now=now)
    assert not sample_sales(now=now)

    assert len(sample_history(event_id=sale.pk)["seconds"]) == 1


def test_a_reconnect_with_since_has_no_gap(sale, now):
    for second in range(5):
        sample_sales(now=at(now, second))
    known = seconds_in(sample_history(event_id=sale.pk))
    for second in range(5, 9):
        sample_sales(now=at(now, second))

    missed = sample_history(event_id=sale.pk, since=known[-1])

    start = int(now.timestamp())
    assert known + seconds_in(missed) == list(range(start, start + 9))


def test_the_whole_sale_survives_the_loss_of_redis(sale, now):
    for second in range(0, 40, 2):
        sample_sales(now=at(now, second))
    redis.client().flushdb()

    history = sample_history(event_id=sale.pk)

    assert history["seconds"] == []
    assert 4 <= len(history["whole"]) <= 5
    assert all(
        later[0] - earlier[0] == 10
        for earlier, later in zip(history["whole"], history["whole"][1:], strict=False)
    )


def test_samples_lost_by_redis_are_filled_from_the_database(sale, now):
    for second in range(40):
        sample_sales(now=at(now, second))
    redis.client().delete(f"console:{{{sale.pk}}}:samples")
    for second in range(40, 45):
        sample_sales(now=at(now, second))

    missed = sample_history(event_id=sale.pk, since=int(now.timestamp()) + 9)

    assert len(missed["seconds"]) == 5
    assert missed["whole"][-1][0] >= seconds_in(missed)[0] - 10


def test_a_long_sale_is_thinned_for_its_chart(sale):
    rows = (Sample(event_id=sale.pk, second=10 * n, figures=[10 * n]) for n in range(1, 5_001))
    Sample.objects.bulk_create(rows)

    whole = sample_history(event_id=sale.pk)["whole"]

    assert 900 <= len(whole) <= 1_000


def test_redis_keeps_a_limited_number_of_samples(sale, monkeypatch, now):
    monkeypatch.setattr(store, "MAX_SAMPLES", 5)
    for second in range(8):
        sample_sales(now=at(now, second))

    assert len(sample_history(event_id=sale.pk)["seconds"]) == 5


@pytest.fixture
def quiet_sale(event, operator, now):
    """An open sale that nobody is in."""
    SaleQueue.objects.create(event=event, opens_at=now - timedelta(minutes=1))
    queue = queues.move_queue(event_id=event.pk, to="open", by=operator, now=now)
    queues.tick_open_queues(now=now)
    return queue


def test_a_sale_without_people_is_sampled_every_few_seconds(quiet_sale, now):
    assert [n for n in range(8) if sample_sales(now=at(now, n))] == [0, 5]

    queues.join(event_id=quiet_sale.pk, person="1001", now=at(now, 8))

    assert [n for n in range(8, 14) if sample_sales(now=at(now, n))] == [10, 11, 12, 13]


def test_while_a_console_is_open_every_second_is_sampled(quiet_sale, now, monkeypatch):
    monkeypatch.setattr(store, "has_console", lambda: True)

    assert all(sample_sales(now=at(now, second)) for second in range(3))


def test_a_listening_server_process_counts_as_a_console():
    assert not store.has_console()

    with redis.client().pubsub() as listener:
        listener.subscribe(keys.sample_channel(redis.database()))
        listener.get_message(timeout=60)

        assert store.has_console()


def test_without_a_running_sale_nothing_is_counted(event, now, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert sample_sales(now=now) == {}


def test_the_time_until_empty_follows_from_the_measured_rate():
    from ticketing.console.services.samples import seconds_until_empty

    assert seconds_until_empty("open", 300, 10) == 30
    assert seconds_until_empty("paused", 300, 10) is None
    assert seconds_until_empty("open", 300, 0) is None
    assert seconds_until_empty("open", 0, 0) == 0


# -- processes -------------------------------------------------------------------------------------


def test_a_running_process_is_listed_and_a_stopped_one_is_removed(now):
    heartbeat = Heartbeat("web", seconds=0.01)
    heartbeat.start()
    for _ in range(200):
        if found := store.processes(now):
            break
        heartbeat.join(0.01)
    assert [process.kind for process in found] == ["web"]

    heartbeat.stop()
    heartbeat.join(60)

    assert store.processes(now) == []


def test_a_silent_process_is_marked_and_removed_after_a_while(now):
    store.record_heartbeat("worker host 1", now)

    assert store.processes(at(now, 20))[0].is_silent
    store.record_heartbeat("web host 2", at(now, 1_000))
    assert [process.kind for process in store.processes(at(now, 1_000))] == ["web"]


def test_a_second_reconciliation_of_a_day_replaces_the_first(db, now, settings):
    settings.PORTONE_API_SECRET = ""  # nobody can pay
    services.reconcile_day(day=now.date(), now=now)
    services.reconcile_day(day=now.date(), now=now)

    assert Reconciliation.objects.get().differences == []


def test_differences_are_shown_in_the_language_of_the_reader(now, operator, client):
    facts = {"ours": 7, "theirs": 0, "currency": "KRW"}
    found = [["pay-1", "kept", facts], ["pay-2", "we kept 5, <b>"]]
    Reconciliation.objects.create(day=now.date(), at=now, differences=found)
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    address = reverse("console:reconciliation", args=[now.date().isoformat()])

    korean, english = (
        client.get(address, headers={"accept-language": it}).content.decode() for it in ("ko", "en")
    )

    assert "7원" in korean
    assert "we kept ₩7, the gateway ₩0" in english
    assert "we kept 5, &lt;b&gt;" in korean


def test_the_time_until_empty_follows_a_lower_rate_at_once(sale, now):
    """The measured rate takes a minute to come down."""
    SaleQueue.objects.update(admit_per_second=0.05)

    assert sample_sales(now=now)[sale.pk]["empty_in"] == 100
