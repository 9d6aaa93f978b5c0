"""The form of a queue: its knobs, their warnings, and the counts of its line."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils.timezone import localtime

from tests.making import make_event
from tests.waiting_queue.outage import no_queue_redis
from waiting_queue import selectors, services
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db
ADD = "admin:queue_salequeue_add"


def page_of(queue):
    return reverse("admin:queue_salequeue_change", args=[queue.pk])


def filled(page, **changes):
    """What a browser would send back from this page."""
    form = page.context["adminform"].form
    data = {}
    for field in form:
        value = field.value()
        if hasattr(value, "astimezone"):
            local = localtime(value)
            data |= {f"{field.name}_0": f"{local:%Y-%m-%d}", f"{field.name}_1": f"{local:%H:%M:%S}"}
        elif value is True:
            data[field.name] = "on"
        elif value not in (None, False):
            data[field.name] = str(value)
    return {name: value for name, value in (data | changes).items() if value is not None}


def test_only_changed_knobs_are_saved_and_recorded(operator_client, queue, operator):
    page = operator_client.get(page_of(queue))

    answer = operator_client.post(
        page_of(queue), filled(page, admit_per_second="2.5", why="slower")
    )

    assert answer.status_code == 302
    change = QueueChange.objects.get(queue=queue)
    assert (change.what, change.before, change.after) == ("admit_per_second", "10.0", "2.5")
    assert (change.by, change.why) == (operator, "slower")


def test_saving_without_a_change_records_nothing(operator_client, queue):
    operator_client.post(page_of(queue), filled(operator_client.get(page_of(queue))))

    assert not QueueChange.objects.exists()


def test_knobs_that_do_not_fit_are_warned_of_after_saving_and_on_the_page(operator_client, queue):
    page = operator_client.post(
        page_of(queue), filled(operator_client.get(page_of(queue)), max_inside="600"), follow=True
    )

    words = (
        "With 600 places and 300 s inside, about 2 people a second can come in; "
        "the rate of 10/s will not be reached."
    )
    assert next(str(message) for message in page.context["messages"]) == words
    assert words in operator_client.get(page_of(queue)).content.decode()


def test_knobs_that_fit_are_not_warned_of(operator_client, queue):
    SaleQueue.objects.update(admit_per_second=2)

    page = operator_client.get(page_of(queue))

    assert page.context["warnings"] == []
    assert b"A full line of 50,000 would take about 6 h 56 min" in page.content


def test_a_pass_longer_than_the_longest_stay_is_refused(operator_client, queue):
    page = operator_client.post(
        page_of(queue), filled(operator_client.get(page_of(queue)), pass_seconds="3600")
    )

    assert page.status_code == 200
    assert "A pass can&#x27;t be longer" in page.content.decode()
    assert SaleQueue.objects.get().pass_seconds == 300


@pytest.mark.parametrize(
    ("state", "fixed"),
    [
        ("scheduled", set()),
        ("lobby", {"lobby_opens_at", "mode"}),
        ("open", {"lobby_opens_at", "opens_at"}),
        ("draining", {"lobby_opens_at", "opens_at", "mode"}),
    ],
)
def test_times_and_mode_are_only_editable_while_they_can_change(
    state, fixed, operator_client, queue
):
    SaleQueue.objects.update(state=state)

    asked = set(operator_client.get(page_of(queue)).context["adminform"].form.fields)

    times = {"lobby_opens_at", "opens_at", "mode"}
    assert times - asked == fixed


def test_a_closed_queue_has_nothing_to_change(operator_client, queue):
    SaleQueue.objects.update(state="closed")

    page = operator_client.get(page_of(queue))

    assert set(page.context["adminform"].form.fields) == {"why"}


def test_a_queue_is_made_for_an_event_and_opens_with_its_sale(operator_client, event, operator):
    data = filled(operator_client.get(reverse(ADD)), event=str(event.pk), max_inside="500")

    answer = operator_client.post(reverse(ADD), data)

    queue = SaleQueue.objects.get(event=event)
    assert answer.status_code == 302
    assert (queue.max_inside, queue.opens_at) == (500, event.on_sale_at)
    assert QueueChange.objects.get(queue=queue, what="created").by == operator


def test_an_event_has_one_queue(operator_client, queue):
    page = operator_client.post(
        reverse(ADD), filled(operator_client.get(reverse(ADD)), event=str(queue.pk))
    )

    assert b"This event already has a queue." in page.content
    assert SaleQueue.objects.count() == 1


def test_a_viewer_can_not_save_or_add(viewer_client, operator_client, queue, now):
    data = filled(operator_client.get(page_of(queue)), max_inside="1")

    assert viewer_client.post(page_of(queue), data).status_code == 403
    assert viewer_client.post(reverse(ADD), {"event": str(make_event(now).pk)}).status_code == 403
    assert SaleQueue.objects.get().max_inside == 800


def test_a_queue_is_never_deleted(operator_client, queue):
    address = reverse("admin:queue_salequeue_delete", args=[queue.pk])

    assert operator_client.post(address, {"post": "yes"}).status_code == 403
    assert SaleQueue.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_page_shows_the_line_as_it_is(operator_client, open_queue, now):
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    for person in "123":
        services.join(event_id=open_queue.pk, person=person, now=now)

    seen = operator_client.get(page_of(open_queue)).context["overview"]

    assert (seen.known, seen.waiting, seen.inside, seen.last_number) == (True, 3, 0, 3)


def test_a_late_tick_is_warned_of(operator_client, open_queue, now):
    services.tick_open_queues(now=now - timedelta(minutes=2))
    services.tick_open_queues(now=now)
    assert "The last tick" not in operator_client.get(page_of(open_queue)).content.decode()

    late = selectors.overview(open_queue, now=now + timedelta(seconds=90))

    assert late.tick_age == pytest.approx(90, abs=0.1)
    assert "nobody is called" in selectors.queue_warnings(open_queue, late)[0]


def test_the_page_works_without_redis_and_says_so(operator_client, open_queue):
    with no_queue_redis():
        page = operator_client.get(page_of(open_queue))
        listed = operator_client.get(reverse("admin:queue_salequeue_changelist"))
        saved = operator_client.post(page_of(open_queue), filled(page, max_inside="9"))

    assert "Redis can’t be reached" in page.content.decode()
    assert listed.status_code == 200
    assert saved.status_code == 302
    assert SaleQueue.objects.get().max_inside == 9


def test_the_history_is_shown_with_labels(operator_client, open_queue, fan, operator, now):
    services.set_knobs(event_id=open_queue.pk, knobs={"max_inside": 5}, by=operator, now=now)
    services.block(event_id=open_queue.pk, person=str(fan.pk), by=None, why="robot", now=now)

    html = operator_client.get(page_of(open_queue)).content.decode()

    for words in ("people inside", f"person {fan.pk}", "→ blocked", "→ open", "the system"):
        assert words in html
