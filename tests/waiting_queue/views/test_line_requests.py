"""Requests to the waiting page: refusals, queries, the part for the script, links to it."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.making import make_event
from tests.waiting_queue.outage import no_queue_redis
from tests.waiting_queue.views.pages import (
    BACKEND,
    OTHERS,
    claim_of,
    join,
    leave_of,
    line_of,
    state_of,
    text,
)
from ticketing.core import clock, redis
from ticketing.events.models import Event
from waiting_queue import services
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


# -- refusals --------------------------------------------------------------------------------------


def test_a_full_line_is_explained_and_the_page_reloads(me, slow_queue):
    join(slow_queue, *OTHERS[:2])
    SaleQueue.objects.update(capacity=2)
    services.tick_open_queues(now=clock.now())

    answer, page = me.post(line_of(slow_queue)), me.get(line_of(slow_queue))

    assert answer.status_code == 303
    assert "The line is full." in text(page)
    assert page.context["page_state"].refresh_after == 60
    assert 'data-again="60"' in text(page)


def test_joining_a_queue_that_is_not_open_redirects_to_the_page(me, queue):
    answer = me.post(line_of(queue))

    assert (answer.status_code, answer.headers["Location"]) == (303, line_of(queue))


def test_somebody_in_another_line_gets_a_link_to_it(me, slow_queue, operator, now):
    other = make_event(now)
    SaleQueue.objects.create(event=other, opens_at=now, max_inside=1)
    services.move_queue(event_id=other.pk, to="open", by=operator, now=now)
    me.post(reverse("queue:line", args=[other.pk]))

    answer = me.post(line_of(slow_queue))

    assert (answer.status_code, state_of(answer)) == (409, "elsewhere")
    assert f'href="/events/{other.pk}/queue/">{other.title_en}' in text(answer)


@pytest.mark.parametrize("address", [line_of, claim_of, leave_of])
def test_anonymous_visitors_can_do_nothing(client, slow_queue, address):
    answer = client.post(address(slow_queue))

    assert answer.status_code == 401
    assert "Please log in first." in text(answer)


@pytest.mark.parametrize("address", [line_of, claim_of, leave_of])
def test_another_sites_form_does_nothing(slow_queue, fan, address):
    strict = Client(enforce_csrf_checks=True, headers={"accept": "text/html"})
    strict.force_login(fan, backend=BACKEND)

    assert strict.post(address(slow_queue)).status_code == 403
    standing = services.standing(event_id=slow_queue.pk, person=str(fan.pk), now=clock.now())
    assert standing.state == "none"


def test_the_forms_carry_the_csrf_token(slow_queue, fan):
    strict = Client(enforce_csrf_checks=True, headers={"accept": "text/html"})
    strict.force_login(fan, backend=BACKEND)
    page = strict.get(line_of(slow_queue)).content.decode()
    form = re.search(rf'<form action="{line_of(slow_queue)}".*?</form>', page, re.S)[0]
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)[1]

    assert strict.post(line_of(slow_queue), {"csrfmiddlewaretoken": token}).status_code == 303


@pytest.mark.parametrize("logged_in", [True, False])
def test_without_redis_the_page_reloads_by_itself(client, fan, slow_queue, logged_in):
    if logged_in:
        client.force_login(fan, backend=BACKEND)

    with no_queue_redis():
        answer = client.get(line_of(slow_queue))

    assert answer.status_code == 503
    assert '<meta http-equiv="refresh" content="5">' in text(answer)


def test_a_line_that_is_being_rebuilt_reloads_by_itself(me, slow_queue):
    redis.queue_client().flushdb()

    answer = me.get(line_of(slow_queue))

    assert answer.status_code == 503
    assert "Everyone keeps their number." in text(answer)


def test_an_event_without_a_queue_or_still_a_draft_has_no_line(me, queue):
    Event.objects.update(state="draft")
    assert [me.get(line_of(queue)).status_code, me.post(line_of(queue)).status_code] == [404, 404]

    SaleQueue.objects.all().delete()
    Event.objects.update(state="on_sale")
    assert me.get(line_of(queue)).status_code == 404


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods_are_refused(me, slow_queue, method):
    assert getattr(me, method)(line_of(slow_queue)).status_code == 405


# -- the script's part, queries, links -------------------------------------------------------------


def test_the_script_gets_the_part_that_changes_from_the_same_templates(me, slow_queue):
    me.post(line_of(slow_queue))

    page, part = me.get(line_of(slow_queue)), me.get(line_of(slow_queue), {"part": "1"})

    assert "<html" not in part.content.decode()
    assert part.content.decode().lstrip().startswith('<div class="line" id="line"')
    assert state_of(page) == state_of(part) == "waiting"
    assert "no-store" in part["Cache-Control"]


def test_a_page_takes_few_queries_however_many_wait(me, slow_queue, django_assert_max_num_queries):
    me.post(line_of(slow_queue))
    with django_assert_max_num_queries(6) as few:
        me.get(line_of(slow_queue))
    join(slow_queue, *OTHERS[:200])

    with django_assert_max_num_queries(len(few)):
        me.get(line_of(slow_queue))
    with django_assert_max_num_queries(6):
        me.post(line_of(slow_queue))


def test_the_event_page_leads_to_the_line(client, slow_queue):
    shown = text(client.get(slow_queue.event.get_absolute_url()))

    assert (
        f'<a class="button button--wide" href="{line_of(slow_queue)}">Go to the line</a>' in shown
    )


@pytest.mark.parametrize(
    ("state", "label"),
    [
        ("scheduled", "How the line works"),
        ("lobby", "Go to the lobby"),
        ("paused", "you can join it"),
        ("draining", "closed to new people"),
    ],
)
def test_the_event_page_describes_the_state_of_the_line(client, queue, state, label):
    SaleQueue.objects.update(state=state)

    assert label in text(client.get(queue.event.get_absolute_url()))


def test_the_event_page_of_a_closed_queue_leads_to_no_line(client, queue):
    SaleQueue.objects.update(state="closed")

    assert line_of(queue) not in text(client.get(queue.event.get_absolute_url()))
