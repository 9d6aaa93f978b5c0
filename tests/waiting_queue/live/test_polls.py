"""Polls: the last resort of a page, answered from what the process knows."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from redis import Redis

from tests.waiting_queue.live.conftest import Fan, move, publish, wait_for_listeners, wait_until
from ticketing.core import clock, redis
from waiting_queue import keys, services, store
from waiting_queue.live import topics
from waiting_queue.tokens import QueueToken, read_token


@pytest.fixture
def crowd(paused, make_fan) -> list[Fan]:
    fans = [make_fan(paused) for _ in range(4)]
    for fan in fans:
        fan.join()
    return fans


@pytest.fixture
def token(crowd, paused, served, monkeypatch) -> Callable[[Fan], str]:
    """Tokens of people in a line that the server has read; a slow machine is no stopped tick."""
    monkeypatch.setattr(topics, "FRESH_SECONDS", 60.0)
    tokens = {fan.person: fan.ask().json()["token"] for fan in crowd}
    crowd[0].ask(token=tokens[crowd[0].person])  # with this poll the server begins to listen
    wait_for_listeners()
    publish(paused.pk)
    wait_until(lambda: served.knows_the_line(paused))
    served.stop_heartbeats()
    return lambda fan: tokens[fan.person]


def test_a_poll_costs_no_question_and_no_sql(crowd, token, asked, statements):
    asked.clear(), statements.clear()

    polls = [fan.ask(token=token(fan)).json() for fan in crowd]

    assert [(poll["state"], poll["ahead"], poll["number"]) for poll in polls] == [
        ("WAITING", ahead, ahead + 1) for ahead in range(4)
    ]
    assert {poll["token"] for poll in polls} == {None}
    assert (asked, statements) == ([], [])


def test_by_session_redis_is_asked_and_says_the_same(crowd, token, asked):
    by_token = crowd[2].ask(token=token(crowd[2])).json()
    asked.clear()
    by_session = crowd[2].ask().json()

    differs = {"server_time", "token", "next_poll_ms"}
    assert asked == ["GET", "poll"]
    assert {key: by_session[key] for key in by_session.keys() - differs} == {
        key: by_token[key] for key in by_token.keys() - differs
    }


def test_the_place_is_exact_after_every_tick(paused, crowd, token, served, asked):
    for leaver, right in ((crowd[1], 2), (crowd[0], 1)):
        leaver.leave()
        last = publish(paused.pk)
        wait_until(lambda last=last: served.hub.topics[paused.pk].message.turn == last.turn)
        asked.clear()
        poll = crowd[3].ask(token=token(crowd[3])).json()
        assert (poll["ahead"], poll["total"], poll["position"]) == (right, right + 1, right + 1)
        assert asked == []


def test_when_the_ticks_have_stopped_redis_is_asked(paused, crowd, token, asked, served):
    served.hub.topics[paused.pk]._received_at -= 61
    asked.clear()

    poll = crowd[3].ask(token=token(crowd[3])).json()

    assert (poll["ahead"], asked) == (3, ["poll"])


def test_who_is_called_or_out_is_answered_by_redis(paused, crowd, token, asked, now, served):
    services.set_knobs(event_id=paused.pk, knobs={"max_inside": 1}, by=None, now=now)
    move(paused, "open", now)
    services.tick_open_queues(now=now + timedelta(seconds=1))
    crowd[1].leave()
    last = publish(paused.pk)
    wait_until(lambda: served.hub.topics[paused.pk].message.turn == last.turn)
    asked.clear()

    states = [fan.ask(token=token(fan)).json()["state"] for fan in crowd]

    assert states == ["READY", "LEFT", "WAITING", "WAITING"]
    assert asked == ["poll", "poll"]


def test_a_token_of_an_earlier_beginning_is_answered_by_redis_with_a_new_one(
    paused, crowd, token, asked
):
    old = QueueToken(paused.pk, crowd[0].person, 1, "earlier").sign()
    asked.clear()

    poll = crowd[0].ask(token=old).json()

    assert asked == ["poll"]
    assert (poll["number"], read_token(poll["token"]).epoch) == (
        1,
        read_token(token(crowd[0])).epoch,
    )


def test_tokens_of_others_are_refused_before_anybody_is_asked(paused, crowd, token, asked):
    stranger = QueueToken(paused.pk + 1, crowd[0].person, 1, "e").sign()
    forged = token(crowd[0])[:-3] + "AAA"
    asked.clear()

    answers = [crowd[0].ask(token=wrong) for wrong in (stranger, forged)]

    assert [answer.status_code for answer in answers] == [401, 401]
    assert asked == []


def test_an_old_token_does_not_bring_back_a_place_that_was_left(paused, crowd, token, served):
    old = token(crowd[0])
    crowd[0].leave()
    crowd[0].join()
    last = publish(paused.pk)
    wait_until(lambda: served.hub.topics[paused.pk].message.turn == last.turn)

    assert crowd[0].ask(token=old).status_code == 401


def seen(paused, fan: Fan) -> float:
    client: Redis = redis.queue_client()
    return client.zscore(keys.key(paused.pk, "seen"), fan.person)


def test_polls_keep_the_place_in_one_step_for_all(paused, crowd, token, asked, served):
    before = {fan.person: seen(paused, fan) for fan in crowd}
    for _ in range(5):
        for fan in crowd[:3]:
            fan.ask(token=token(fan))
    asked.clear()
    later = clock.now() + timedelta(seconds=60)

    served.send_heartbeats(paused, later)
    served.send_heartbeats(paused, later)

    after = [seen(paused, fan) for fan in crowd]
    assert [verb for verb in asked if verb != "EVAL"] == ["heartbeat"]
    assert after[:3] == [store.ms(later)] * 3
    assert after[3] == before[crowd[3].person]


def test_a_place_is_kept_by_polling_and_lost_without(paused, crowd, token, served, tick):
    services.set_knobs(event_id=paused.pk, knobs={"absence_seconds": 10}, by=None, now=tick.now)
    for _ in range(15):
        tick()
        crowd[1].ask(token=token(crowd[1]))
        served.send_heartbeats(paused, tick.now)
    states = [store.run(store.peek(paused.pk, fan.person, tick.now)).state for fan in crowd]

    assert states == ["expired", "waiting", "expired", "expired"]


def test_the_outlook_and_the_message_are_there_for_those_who_poll(
    paused, crowd, token, served, statements, asked
):
    outlook = {"sold_out": True, "grades": []}
    last = publish(paused.pk, notice="late", outlook=outlook)
    wait_until(lambda: served.hub.topics[paused.pk].message.turn == last.turn)
    asked.clear(), statements.clear()

    answer = crowd[0].ask("outlook/", token=token(crowd[0]))

    assert answer.json() == {"notice": "late", "sold_out": True, "grades": []}
    assert answer.headers["cache-control"] == "no-store"
    assert (asked, statements) == ([], [])


def test_an_outlook_of_nothing_is_not_found(make_fan):
    answer = make_fan(999_999).ask("outlook/")

    assert (answer.status_code, answer.json()["code"]) == (404, "no_queue")


def test_an_outlook_before_the_opening_is_empty(queue, make_fan):
    answer = make_fan(queue).ask("outlook/")

    assert answer.json() == {"notice": "", "sold_out": False, "grades": []}
