"""The waiting page without its script: every state of a person, every form, few questions asked."""

import html
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import translation

from tests.making import make_event, make_user
from tests.waiting_queue.outage import no_queue_redis
from ticketing.core import clock, redis
from ticketing.events.models import Event, Seat
from waiting_queue import services, store
from waiting_queue.models import SaleQueue
from waiting_queue.views import words
from waiting_queue.views.scenes import chance_of

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "django.contrib.auth.backends.ModelBackend"
# People whom nobody logs in as.
OTHERS = range(900_001, 901_000)


@pytest.fixture
def client(client: Client) -> Client:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    client.defaults["HTTP_ACCEPT"] = "text/html"
    return client


@pytest.fixture
def me(client, fan) -> Client:
    client.force_login(fan, backend=BACKEND)
    return client


@pytest.fixture
def slow_queue(open_queue) -> SaleQueue:
    """Somebody is inside, and there is no room for another: those who join wait."""
    SaleQueue.objects.update(admit_per_second=0)
    services.tick_open_queues(now=clock.now())
    services.join(event_id=open_queue.pk, person="900000", now=clock.now())
    SaleQueue.objects.update(max_inside=1)
    services.tick_open_queues(now=clock.now())
    return open_queue


def line_of(queue):
    return reverse("queue:line", args=[queue.pk])


def claim_of(queue):
    return reverse("queue:claim", args=[queue.pk])


def leave_of(queue):
    return reverse("queue:leave", args=[queue.pk])


def text(answer):
    return html.unescape(re.sub(r"\s+", " ", answer.content.decode()))


def scene(answer):
    return answer.context["scene"].name


def join(queue, *people):
    for person in people:
        services.join(event_id=queue.pk, person=str(person), now=clock.now())


def move(queue, to, operator):
    services.move_queue(event_id=queue.pk, to=to, by=operator, now=clock.now())


def make_ready(queue):
    """One more may come in, and the next in line is called."""
    SaleQueue.objects.update(max_inside=100)
    services.tick_open_queues(now=clock.now())


# -- before, and for strangers ---------------------------------------------------------------------


def test_a_queue_that_is_scheduled_says_when_and_offers_nothing_to_press(client, queue):
    page = client.get(line_of(queue))

    assert scene(page) == "scheduled"
    assert "The lobby opens on" in text(page)
    assert f'action="{line_of(queue)}"' not in text(page)


@pytest.mark.parametrize(("minutes", "after"), [(60, None), (5, 60), (0.5, 31), (-1, 5)])
def test_near_the_opening_the_page_looks_again_without_a_script(client, queue, now, minutes, after):
    SaleQueue.objects.update(lobby_opens_at=now + timedelta(minutes=minutes))

    page = client.get(line_of(queue))

    looks_again = page.context["scene"].refresh_after
    assert looks_again == (None if after is None else pytest.approx(after, abs=2))
    assert ('http-equiv="refresh"' in text(page)) == (after is not None)


def test_a_stranger_learns_what_the_line_is_how_many_wait_and_comes_back(client, slow_queue):
    join(slow_queue, *OTHERS[:3])

    page = client.get(line_of(slow_queue))

    assert scene(page) == "join"
    assert '<span class="crowd__number">3</span> <span>people waiting' in text(page)
    assert f"/accounts/log-in/?next={line_of(slow_queue)}" in text(page)
    assert "Log in to join" in text(page)


def test_logging_in_leads_back_to_the_line(client, slow_queue, fan):
    where = f"/accounts/log-in/?next={line_of(slow_queue)}"
    typed = {"username": fan.email, "password": "a-long-enough-passphrase"}

    answer = client.post(where, typed)

    assert answer.headers["Location"] == line_of(slow_queue)


def test_the_lobby_tells_its_hash_and_how_many_are_there(me, queue, operator):
    move(queue, "lobby", operator)
    join(queue, *OTHERS[:2])
    me.post(line_of(queue))

    page = me.get(line_of(queue))

    assert scene(page) == "lobby"
    assert services.seed_hash(queue.seed) in text(page)
    assert reverse("queue:draw", args=[queue.pk]) in text(page)
    assert '<span class="crowd__number" data-lobby>3</span> <span>people in the lobby' in text(page)
    assert queue.seed not in text(page)


def test_the_lobby_has_the_view_ready_to_which_everybody_turns_at_once(me, queue, operator):
    move(queue, "lobby", operator)
    me.post(line_of(queue))

    page = text(me.get(line_of(queue)))

    prepared = re.findall(r'<template data-prepared="(\w+)"', page)
    assert prepared == ["waiting", "ready", "expired", "closed"]


# -- in line ---------------------------------------------------------------------------------------


def test_joining_answers_with_a_see_other_and_twice_is_once(me, slow_queue, fan):
    join(slow_queue, OTHERS[0])

    first, second = me.post(line_of(slow_queue)), me.post(line_of(slow_queue))

    assert [first.status_code, second.status_code] == [303, 303]
    assert first.headers["Location"] == line_of(slow_queue)
    place = me.get(line_of(slow_queue)).context["scene"].place
    assert (place["state"], place["ahead"], place["total"]) == ("WAITING", 1, 2)


def test_who_waits_sees_place_bar_estimate_clock_and_what_sleeping_does(me, slow_queue):
    join(slow_queue, *OTHERS[:2])
    me.post(line_of(slow_queue))

    page = me.get(line_of(slow_queue))

    assert scene(page) == "waiting"
    shown = text(page)
    assert 'data-ahead>2</span> <span class="place__words" data-ahead-words>people ahead' in shown
    assert 'max="3" value="1"' in shown
    assert "1 of the 3 who came before you have had their turn or left." in shown
    assert "Our clock" in shown
    assert "nothing is heard of you for 5 minutes" in shown
    assert "you have one minute to come in" in shown
    assert leave_of(slow_queue) in shown


def test_without_a_script_the_page_looks_again_when_the_server_advises(me, slow_queue):
    join(slow_queue, *OTHERS[:59])
    me.post(line_of(slow_queue))

    page = me.get(line_of(slow_queue))

    after = page.context["scene"].refresh_after
    assert f'<noscript><meta http-equiv="refresh" content="{after};' in text(page)
    assert 5 <= after <= 36


def test_a_paused_line_says_so_and_makes_no_estimate(me, slow_queue, operator):
    me.post(line_of(slow_queue))
    move(slow_queue, "paused", operator)

    shown = text(me.get(line_of(slow_queue)))

    assert 'data-when="paused">The line is paused' in shown
    assert "none while the line is paused" in shown


def test_a_draining_line_still_calls_those_in_it_and_takes_nobody_else(
    me, client, slow_queue, operator
):
    me.post(line_of(slow_queue))
    move(slow_queue, "draining", operator)

    inside = text(me.get(line_of(slow_queue)))
    outside = text(Client(headers={"accept-language": "en"}).get(line_of(slow_queue)))

    assert 'data-when="draining">The line takes nobody else. You are still called.' in inside
    assert "The line takes nobody else" in outside
    assert "Log in to join" not in outside


def test_seats_for_me_are_told_in_words(me, slow_queue):
    Seat.objects.filter(event_id=slow_queue.pk, grade__code="S").update(state="sold")
    cache.delete(f"seats-by-grade:{slow_queue.pk}")  # kept for a moment
    me.post(line_of(slow_queue))
    services.tick_open_queues(now=clock.now() + timedelta(seconds=6))

    shown = text(me.get(line_of(slow_queue)))

    row = r"data-grade-name>([^<]+)</span> .*?data-grade-words>([^<]+)<.*?data-grade-free>([^<]+)<"
    assert re.findall(row, shown)[:2] == [
        ("R seat", "likely", "8 free"),
        ("S seat", "none left now", "0 free"),
    ]


@pytest.mark.parametrize(
    ("free", "ahead", "chance"),
    [(9, 4, "likely"), (9, 5, "maybe"), (9, 9, "unlikely"), (0, 0, "none")],
)
def test_a_chance_follows_the_people_ahead(free, ahead, chance):
    assert chance_of({"free": free, "likely": 5, "maybe": 9}, ahead) == chance


def test_the_operators_message_is_on_the_page(me, slow_queue, operator):
    me.post(line_of(slow_queue))
    now = clock.now()
    services.tell_everyone(
        event_id=slow_queue.pk, message="Doors <open> late", by=operator, now=now
    )
    services.tick_open_queues(now=clock.now())

    page = me.get(line_of(slow_queue)).content.decode()

    assert "Doors &lt;open&gt; late" in page
    assert "Doors <open> late" not in page


# -- one's turn ------------------------------------------------------------------------------------


def test_ones_turn_has_one_big_button_and_a_deadline(me, slow_queue):
    me.post(line_of(slow_queue))
    make_ready(slow_queue)

    page = me.get(line_of(slow_queue))

    assert scene(page) == "ready"
    assert f'<form action="{claim_of(slow_queue)}" method="post">' in text(page)
    assert "<title>🔔 It is your turn · Ticketing</title>" in text(page)
    assert page.context["scene"].refresh_after == 10
    assert page.context["scene"].deadline > clock.now()


def test_coming_in_leads_to_the_seats_and_twice_too(me, slow_queue):
    me.post(line_of(slow_queue))
    make_ready(slow_queue)

    answers = [me.post(claim_of(slow_queue)) for _ in range(2)]

    seats = reverse("reservations:seats", args=[slow_queue.pk])
    assert [(one.status_code, one.headers["Location"]) for one in answers] == [(303, seats)] * 2
    inside = me.get(line_of(slow_queue))
    assert scene(inside) == "admitted"
    assert f'href="{seats}">Choose your seats' in text(inside)


def test_where_there_is_room_joining_leads_straight_in(me, open_queue):
    SaleQueue.objects.update(admit_per_second=0)
    services.tick_open_queues(now=clock.now())

    answer = me.post(line_of(open_queue))

    assert answer.headers["Location"] == reverse("reservations:seats", args=[open_queue.pk])


def test_claiming_too_early_shows_the_place(me, slow_queue):
    me.post(line_of(slow_queue))

    answer = me.post(claim_of(slow_queue))

    assert (answer.status_code, answer.headers["Location"]) == (303, line_of(slow_queue))
    assert scene(me.get(line_of(slow_queue))) == "waiting"


def test_a_link_to_claim_claims_nothing(me, slow_queue):
    me.post(line_of(slow_queue))
    make_ready(slow_queue)

    assert me.get(claim_of(slow_queue)).headers["Location"] == line_of(slow_queue)
    assert scene(me.get(line_of(slow_queue))) == "ready"


# -- the end ---------------------------------------------------------------------------------------


def test_leaving_asks_once_more_and_only_a_form_leaves(me, slow_queue):
    me.post(line_of(slow_queue))

    asked = me.get(leave_of(slow_queue))
    still = scene(me.get(line_of(slow_queue)))
    answer = me.post(leave_of(slow_queue))

    assert "Leave the line?" in text(asked)
    assert still == "waiting"
    assert (answer.status_code, answer.headers["Location"]) == (303, line_of(slow_queue))
    assert scene(me.get(line_of(slow_queue))) == "left"


def test_who_is_not_in_line_has_nothing_to_leave(me, slow_queue):
    assert me.get(leave_of(slow_queue)).headers["Location"] == line_of(slow_queue)
    assert me.post(leave_of(slow_queue)).status_code == 303


def test_who_was_away_for_too_long_is_told_and_may_join_again(me, slow_queue, fan):
    me.post(line_of(slow_queue))
    store.run(store.leave(slow_queue.pk, str(fan.pk), clock.now(), how="expired"))

    page = me.get(line_of(slow_queue))

    assert scene(page) == "expired"
    assert "Join the line again" in text(page)


def test_who_is_done_is_told_so(me, open_queue, fan):
    SaleQueue.objects.update(admit_per_second=0)
    services.tick_open_queues(now=clock.now())
    me.post(line_of(open_queue))
    services.complete(event_id=open_queue.pk, person=str(fan.pk), now=clock.now())

    assert scene(me.get(line_of(open_queue))) == "completed"


def test_who_was_blocked_reads_why_before_and_after_trying_again(me, slow_queue, fan, operator):
    me.post(line_of(slow_queue))
    services.block(
        event_id=slow_queue.pk, person=str(fan.pk), by=operator, why="Two <bots>", now=clock.now()
    )

    page, again = me.get(line_of(slow_queue)), me.post(line_of(slow_queue))

    assert (scene(page), scene(again)) == ("blocked", "blocked")
    assert again.status_code == 403
    assert "The reason given: Two &lt;bots&gt;" in page.content.decode()
    assert f'action="{line_of(slow_queue)}"' not in text(page)


def test_a_closed_queue_says_so_to_everybody(me, slow_queue, operator):
    me.post(line_of(slow_queue))
    move(slow_queue, "closed", operator)
    just_closed = scene(me.get(line_of(slow_queue)))
    services.tick_open_queues(now=clock.now())

    assert (just_closed, scene(me.get(line_of(slow_queue)))) == ("closed", "closed")
    assert me.post(line_of(slow_queue)).headers["Location"] == line_of(slow_queue)


# -- refusals --------------------------------------------------------------------------------------


def test_a_full_line_is_said_calmly_and_looked_at_again(me, slow_queue):
    join(slow_queue, *OTHERS[:2])
    SaleQueue.objects.update(capacity=2)
    services.tick_open_queues(now=clock.now())

    answer, page = me.post(line_of(slow_queue)), me.get(line_of(slow_queue))

    assert answer.status_code == 303
    assert "The line is full." in text(page)
    assert page.context["scene"].refresh_after == 60
    assert 'data-again="60"' in text(page)


def test_a_queue_that_is_not_open_yet_refuses_calmly(me, queue):
    answer = me.post(line_of(queue))

    assert (answer.status_code, answer.headers["Location"]) == (303, line_of(queue))


def test_one_person_one_line_and_the_page_leads_to_it(me, slow_queue, operator, now):
    other = make_event(now)
    SaleQueue.objects.create(event=other, opens_at=now, max_inside=1)
    services.move_queue(event_id=other.pk, to="open", by=operator, now=now)
    me.post(reverse("queue:line", args=[other.pk]))

    answer = me.post(line_of(slow_queue))

    assert (answer.status_code, scene(answer)) == (409, "elsewhere")
    assert f'href="/events/{other.pk}/queue/">{other.title_en}' in text(answer)


@pytest.mark.parametrize("address", [line_of, claim_of, leave_of])
def test_who_is_not_logged_in_can_do_nothing(client, slow_queue, address):
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


def test_the_forms_carry_what_the_site_asks_for(slow_queue, fan):
    strict = Client(enforce_csrf_checks=True, headers={"accept": "text/html"})
    strict.force_login(fan, backend=BACKEND)
    page = strict.get(line_of(slow_queue)).content.decode()
    form = re.search(rf'<form action="{line_of(slow_queue)}".*?</form>', page, re.S)[0]
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)[1]

    assert strict.post(line_of(slow_queue), {"csrfmiddlewaretoken": token}).status_code == 303


@pytest.mark.parametrize("logged_in", [True, False])
def test_without_redis_the_page_tries_again_by_itself(client, fan, slow_queue, logged_in):
    if logged_in:
        client.force_login(fan, backend=BACKEND)

    with no_queue_redis():
        answer = client.get(line_of(slow_queue))

    assert answer.status_code == 503
    assert '<meta http-equiv="refresh" content="5">' in text(answer)


def test_a_line_that_is_being_rebuilt_tries_again_by_itself(me, slow_queue):
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


# -- the part, the cost, the way here --------------------------------------------------------------


def test_the_script_gets_the_part_that_changes_from_the_same_templates(me, slow_queue):
    me.post(line_of(slow_queue))

    page, part = me.get(line_of(slow_queue)), me.get(line_of(slow_queue), {"part": "1"})

    assert "<html" not in part.content.decode()
    assert part.content.decode().lstrip().startswith('<div class="line" id="line"')
    assert scene(page) == scene(part) == "waiting"
    assert "no-store" in part["Cache-Control"]


def test_a_page_costs_few_statements_however_many_wait(
    me, slow_queue, django_assert_max_num_queries
):
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

    assert f'<a class="button button--wide" href="{line_of(slow_queue)}">To the line</a>' in shown


@pytest.mark.parametrize(
    ("state", "words_of_it"),
    [
        ("scheduled", "How the line works"),
        ("lobby", "To the lobby"),
        ("paused", "you can join it"),
        ("draining", "takes nobody else"),
    ],
)
def test_the_event_page_says_how_the_line_stands(client, queue, state, words_of_it):
    SaleQueue.objects.update(state=state)

    assert words_of_it in text(client.get(queue.event.get_absolute_url()))


def test_the_event_page_of_a_closed_queue_leads_to_no_line(client, queue):
    SaleQueue.objects.update(state="closed")

    assert line_of(queue) not in text(client.get(queue.event.get_absolute_url()))


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "less than a minute"),
        (59, "less than a minute"),
        (60, "1 min"),
        (61, "2 min"),
        (5400, "90 min"),
        (5401, "1 h 31 min"),
    ],
)
def test_lengths_of_time_are_said_as_people_say_them(seconds, said):
    with translation.override("en"):
        assert words.in_words(seconds) == said


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (450, 611, "between 8 min and 11 min"),
        (30, 90, "at most 2 min"),
        (450, None, "at least 8 min"),
        (10, 40, ""),
        (None, None, ""),
    ],
)
def test_a_range_says_only_what_is_known(low, high, said):
    standing = {"paused": False, "eta_low_seconds": low, "eta_high_seconds": high}
    with translation.override("en"):
        assert words.range_in_words(standing) == said


def test_two_people_see_their_own_place(slow_queue, fan):
    clients = []
    for person in (fan, make_user()):
        clients.append(Client())
        clients[-1].force_login(person, backend=BACKEND)
        clients[-1].post(line_of(slow_queue))

    aheads = [one.get(line_of(slow_queue)).context["scene"].place["ahead"] for one in clients]

    assert aheads == [0, 1]
