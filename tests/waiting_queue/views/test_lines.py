"""The waiting page without its script: what it shows in every state of a person."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from reservations.services.holds import SeatChoice, reserve_seats
from tests.making import make_user, seat_ids
from tests.reservations.acting import hold
from tests.waiting_queue.views.pages import (
    BACKEND,
    OTHERS,
    claim_of,
    join,
    leave_of,
    line_of,
    make_ready,
    move,
    state_of,
    text,
)
from ticketing.core import clock
from ticketing.events.models import Seat
from waiting_queue import services, store
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


# -- before, and anonymous -------------------------------------------------------------------------


def test_a_scheduled_queue_says_when_it_opens_and_has_no_join_button(client, queue):
    page = client.get(line_of(queue))

    assert state_of(page) == "scheduled"
    assert "The lobby opens on" in text(page)
    assert f'action="{line_of(queue)}"' not in text(page)


@pytest.mark.parametrize(("minutes", "after"), [(60, None), (5, 60), (0.5, 31), (-1, 5)])
def test_near_the_opening_the_page_reloads_without_a_script(client, queue, now, minutes, after):
    SaleQueue.objects.update(lobby_opens_at=now + timedelta(minutes=minutes))

    page = client.get(line_of(queue))

    looks_again = page.context["page_state"].refresh_after
    assert looks_again == (None if after is None else pytest.approx(after, abs=2))
    assert ('http-equiv="refresh"' in text(page)) == (after is not None)


@pytest.mark.parametrize(
    ("lobby", "line", "words"),
    [
        (-5, 5, "This sale will have a waiting line. Its lobby opens in a moment."),
        (-15, -5, "This sale has a waiting line. It opens in a moment."),
        (None, -5, "This sale has a waiting line. It opens in a moment."),
    ],
)
def test_before_the_tick_that_opens_it_no_page_names_a_time_that_has_passed(
    client, queue, now, lobby, line, words
):
    """As right after a start of the whole site."""
    lobby_opens_at = None if lobby is None else now + timedelta(minutes=lobby)
    opens_at = now + timedelta(minutes=line)
    SaleQueue.objects.update(lobby_opens_at=lobby_opens_at, opens_at=opens_at)

    event_page = text(client.get(reverse("ticketing:event", args=[queue.pk])))
    page = text(client.get(line_of(queue)))

    assert words in event_page
    assert "opens on" not in event_page + page
    assert "The queue is opening. This page reloads automatically." in page
    assert ("Come any time before" in page) == (line > 0)


def test_an_anonymous_visitor_sees_how_many_wait_and_a_link_to_log_in(client, slow_queue):
    join(slow_queue, *OTHERS[:3])

    page = client.get(line_of(slow_queue))

    assert state_of(page) == "join"
    assert '<span class="crowd__number">3</span> <span>people waiting' in text(page)
    assert f"/accounts/log-in/?next={line_of(slow_queue)}" in text(page)
    assert "Log in to join" in text(page)


def test_logging_in_leads_back_to_the_line(client, slow_queue, fan):
    where = f"/accounts/log-in/?next={line_of(slow_queue)}"
    typed = {"username": fan.email, "password": "a-long-enough-passphrase"}

    answer = client.post(where, typed)

    assert answer.headers["Location"] == line_of(slow_queue)


def test_the_lobby_shows_the_hash_and_how_many_are_there(me, queue, operator):
    move(queue, "lobby", operator)
    join(queue, *OTHERS[:2])
    me.post(line_of(queue))

    page = me.get(line_of(queue))

    assert state_of(page) == "lobby"
    assert queue.secret_sha256 in text(page)
    assert reverse("queue:draw", args=[queue.pk]) in text(page)
    assert '<span class="crowd__number" data-lobby>3</span> <span>people in the lobby' in text(page)
    assert queue.open_draw_secrets().secret not in text(page)


def test_the_lobby_page_includes_the_views_of_the_next_states(me, queue, operator):
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
    place = me.get(line_of(slow_queue)).context["page_state"].standing
    assert (place["state"], place["ahead"], place["total"]) == ("WAITING", 1, 2)


def test_the_waiting_view_shows_place_progress_estimate_clock_and_absence(me, slow_queue):
    join(slow_queue, *OTHERS[:2])
    me.post(line_of(slow_queue))

    page = me.get(line_of(slow_queue))

    assert state_of(page) == "waiting"
    shown = text(page)
    assert 'data-ahead>2</span> <span class="place__label" data-ahead-label>people ahead' in shown
    assert 'max="3" value="1"' in shown
    assert "People who were ahead of you and have had their turn or left: 1 of 3." in shown
    assert "Server time" in shown
    assert "you are disconnected for 5 minutes" in shown
    assert "you have one minute to come in" in shown
    assert leave_of(slow_queue) in shown


def test_without_a_script_the_page_reloads_at_the_poll_interval(me, slow_queue):
    join(slow_queue, *OTHERS[:59])
    me.post(line_of(slow_queue))

    page = me.get(line_of(slow_queue))

    after = page.context["page_state"].refresh_after
    assert f'<noscript><meta http-equiv="refresh" content="{after};' in text(page)
    assert 5 <= after <= 36


def test_a_paused_line_says_so_and_makes_no_estimate(me, slow_queue, operator):
    me.post(line_of(slow_queue))
    move(slow_queue, "paused", operator)

    shown = text(me.get(line_of(slow_queue)))

    assert 'data-when="paused">The line is paused' in shown
    assert "not available while the line is paused" in shown


def test_a_draining_line_still_calls_those_in_it_and_takes_nobody_else(
    me, client, slow_queue, operator
):
    me.post(line_of(slow_queue))
    move(slow_queue, "draining", operator)

    inside = text(me.get(line_of(slow_queue)))
    outside = text(Client(headers={"accept-language": "en"}).get(line_of(slow_queue)))

    assert (
        'data-when="draining">The line is closed to new people. You will still get your turn.'
        in inside
    )
    assert "The line is closed to new people" in outside
    assert "Log in to join" not in outside


def test_the_outlook_is_shown_per_grade(me, slow_queue):
    Seat.objects.filter(event_id=slow_queue.pk, grade__code="S").update(state="sold")
    cache.delete(f"seats-by-grade:{slow_queue.pk}")  # kept for a moment
    me.post(line_of(slow_queue))
    services.tick_open_queues(now=clock.now() + timedelta(seconds=6))

    shown = text(me.get(line_of(slow_queue)))

    row = r"data-grade-name>([^<]+)</span> .*?data-grade-label>([^<]+)<.*?data-grade-free>([^<]+)<"
    assert re.findall(row, shown)[:2] == [
        ("R seat", "likely", "8 available"),
        ("S seat", "none left at the moment", "0 available"),
    ]


def test_the_operators_message_is_on_the_page(me, slow_queue, operator):
    me.post(line_of(slow_queue))
    now = clock.now()
    services.set_notice(event_id=slow_queue.pk, message="Doors <open> late", by=operator, now=now)
    services.tick_open_queues(now=clock.now())

    page = me.get(line_of(slow_queue)).content.decode()

    assert "Doors &lt;open&gt; late" in page
    assert "Doors <open> late" not in page


# -- ready ----------------------------------------------------------------------------------------


def test_the_ready_view_has_one_button_and_a_deadline(me, slow_queue):
    me.post(line_of(slow_queue))
    make_ready(slow_queue)

    page = me.get(line_of(slow_queue))

    assert state_of(page) == "ready"
    assert f'<form action="{claim_of(slow_queue)}" method="post">' in text(page)
    assert "<title>🔔 It is your turn · Ticketing</title>" in text(page)
    assert page.context["page_state"].refresh_after == 10
    assert page.context["page_state"].deadline > clock.now()


def test_coming_in_leads_to_the_seats_and_twice_too(me, slow_queue):
    me.post(line_of(slow_queue))
    make_ready(slow_queue)

    answers = [me.post(claim_of(slow_queue)) for _ in range(2)]

    seats = reverse("reservations:seats", args=[slow_queue.pk])
    assert [(one.status_code, one.headers["Location"]) for one in answers] == [(303, seats)] * 2
    inside = me.get(line_of(slow_queue))
    assert state_of(inside) == "admitted"
    assert f'href="{seats}">Choose your seats' in text(inside)


def test_seats_that_are_held_are_one_link_away_inside_and_after_the_turn(me, open_queue, fan):
    SaleQueue.objects.update(admit_per_second=0)
    services.tick_open_queues(now=clock.now())
    me.post(line_of(open_queue))
    basket = f'href="{reverse("reservations:basket", args=[open_queue.pk])}">To your basket'
    assert basket not in text(me.get(line_of(open_queue)))

    hold(open_queue.event, fan, clock.now(), *seat_ids(open_queue.event)[:2])

    inside = me.get(line_of(open_queue))
    assert state_of(inside) == "admitted"
    assert "You hold 2 seats." in text(inside)
    assert basket in text(inside)
    store.run(store.leave(open_queue.pk, str(fan.pk), clock.now(), how="expired"))
    after = me.get(line_of(open_queue))
    assert (state_of(after), basket in text(after)) == ("expired", True)


def test_a_page_in_line_says_nothing_of_seats_that_are_held(me, slow_queue, fan):
    """It may be a copy for everybody, with the part for whoever missed the turn in it."""
    me.post(line_of(slow_queue))
    choice = SeatChoice.named(seat_ids(slow_queue.event)[:2])
    whose = {"event_id": slow_queue.pk, "fan_id": fan.pk}
    reserve_seats(**whose, choice=choice, key="", now=clock.now())

    page = me.get(line_of(slow_queue))

    assert state_of(page) == "waiting"
    assert 'data-prepared="expired"' in text(page)
    assert "You hold" not in text(page)


def test_where_there_is_room_joining_leads_straight_in(me, open_queue):
    SaleQueue.objects.update(admit_per_second=0)
    services.tick_open_queues(now=clock.now())

    answer = me.post(line_of(open_queue))

    assert answer.headers["Location"] == reverse("reservations:seats", args=[open_queue.pk])


def test_claiming_too_early_shows_the_place(me, slow_queue):
    me.post(line_of(slow_queue))

    answer = me.post(claim_of(slow_queue))

    assert (answer.status_code, answer.headers["Location"]) == (303, line_of(slow_queue))
    assert state_of(me.get(line_of(slow_queue))) == "waiting"


def test_a_link_to_claim_claims_nothing(me, slow_queue):
    me.post(line_of(slow_queue))
    make_ready(slow_queue)

    assert me.get(claim_of(slow_queue)).headers["Location"] == line_of(slow_queue)
    assert state_of(me.get(line_of(slow_queue))) == "ready"


# -- the end ---------------------------------------------------------------------------------------


def test_leaving_asks_once_more_and_only_a_form_leaves(me, slow_queue):
    me.post(line_of(slow_queue))

    asked = me.get(leave_of(slow_queue))
    still = state_of(me.get(line_of(slow_queue)))
    answer = me.post(leave_of(slow_queue))

    assert "Leave the line?" in text(asked)
    assert still == "waiting"
    assert (answer.status_code, answer.headers["Location"]) == (303, line_of(slow_queue))
    assert state_of(me.get(line_of(slow_queue))) == "left"


def test_somebody_not_in_line_has_nothing_to_leave(me, slow_queue):
    assert me.get(leave_of(slow_queue)).headers["Location"] == line_of(slow_queue)
    assert me.post(leave_of(slow_queue)).status_code == 303


def test_somebody_who_was_away_too_long_may_join_again(me, slow_queue, fan):
    me.post(line_of(slow_queue))
    store.run(store.leave(slow_queue.pk, str(fan.pk), clock.now(), how="expired"))

    page = me.get(line_of(slow_queue))

    assert state_of(page) == "expired"
    assert "Join the line again" in text(page)


def test_the_completed_view(me, open_queue, fan):
    SaleQueue.objects.update(admit_per_second=0)
    services.tick_open_queues(now=clock.now())
    me.post(line_of(open_queue))
    services.complete(event_id=open_queue.pk, person=str(fan.pk), now=clock.now())

    assert state_of(me.get(line_of(open_queue))) == "completed"


def test_a_blocked_person_reads_the_reason_before_and_after_trying_again(
    me, slow_queue, fan, operator
):
    me.post(line_of(slow_queue))
    services.block(
        event_id=slow_queue.pk, person=str(fan.pk), by=operator, why="Two <bots>", now=clock.now()
    )

    page, again = me.get(line_of(slow_queue)), me.post(line_of(slow_queue))

    assert (state_of(page), state_of(again)) == ("blocked", "blocked")
    assert again.status_code == 403
    assert "The reason given: Two &lt;bots&gt;" in page.content.decode()
    assert f'action="{line_of(slow_queue)}"' not in text(page)


def test_a_closed_queue_says_so_to_everybody(me, slow_queue, operator):
    me.post(line_of(slow_queue))
    move(slow_queue, "closed", operator)
    just_closed = state_of(me.get(line_of(slow_queue)))
    services.tick_open_queues(now=clock.now())

    assert (just_closed, state_of(me.get(line_of(slow_queue)))) == ("closed", "closed")
    assert me.post(line_of(slow_queue)).headers["Location"] == line_of(slow_queue)


def test_two_people_see_their_own_place(slow_queue, fan):
    clients = []
    for person in (fan, make_user()):
        clients.append(Client())
        clients[-1].force_login(person, backend=BACKEND)
        clients[-1].post(line_of(slow_queue))

    aheads = [
        one.get(line_of(slow_queue)).context["page_state"].standing["ahead"] for one in clients
    ]

    assert aheads == [0, 1]
