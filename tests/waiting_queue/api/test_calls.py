"""Joining, asking, claiming and leaving through the server's fast path."""

import asyncio
from datetime import datetime, timedelta

import pytest
from asgiref.sync import sync_to_async

from tests.making import make_event
from tests.waiting_queue.api.conftest import Fan, call_everybody, move
from ticketing.core import clock
from ticketing.events.services import aentry_rule
from waiting_queue import services
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
in_thread = sync_to_async


async def test_joining_gives_a_number_and_a_token(ann: Fan):
    answer = await ann.join()

    told = answer.json()
    assert answer.status_code == 201
    assert (told["status"], told["state"], told["number"]) == ("waiting", "WAITING", 1)
    assert (told["position"], told["ahead"], told["rank"], told["aheadCount"]) == (1, 0, 0, 0)
    assert told["token"].startswith("qr_")


async def test_two_tabs_keep_one_number(ann: Fan, ben: Fan):
    first, _, again = await ann.join(), await ben.join(), await ann.join()

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["number"] == again.json()["number"] == 1
    assert first.json()["token"] == again.json()["token"]


async def test_asking_tells_the_place_and_when_to_ask_again(ann: Fan, ben: Fan):
    await ann.join()
    token = (await ben.join()).json()["token"]

    told = (await ben.poll(token=token)).json()

    assert (told["position"], told["ahead"], told["total"]) == (2, 1, 2)
    assert told["token"] is None
    assert 0 < told["next_poll_ms"] <= 100_000
    assert abs(datetime.fromisoformat(told["server_time"]) - clock.now()) < timedelta(seconds=10)


async def test_a_session_that_asks_is_told_its_token(ann: Fan):
    token = (await ann.join()).json()["token"]

    assert (await ann.poll()).json()["token"] == token


async def test_who_never_joined_is_nowhere(ann: Fan):
    told = (await ann.poll()).json()

    assert (told["status"], told["number"], told["position"]) == ("none", None, None)
    assert told["token"] is None


async def test_a_fan_walks_through(ann: Fan, paused: SaleQueue):
    token = (await ann.join()).json()["token"]
    await in_thread(call_everybody)(paused)

    ready = (await ann.poll(token=token)).json()
    claimed = await ann.claim(token=token)
    again = await ann.claim(token=token)
    inside = (await ann.poll(token=token)).json()
    left = await ann.leave(token=token)

    assert (ready["status"], ready["eta_seconds"], ready["ahead"]) == ("ready", 0, 0)
    assert datetime.fromisoformat(ready["deadline"]) > clock.now()
    assert (claimed.status_code, claimed.json()["status"]) == (200, "entered")
    assert again.status_code == 200
    assert (inside["state"], inside["number"]) == ("ADMITTED", 1)
    assert datetime.fromisoformat(inside["deadline"]) > clock.now() + timedelta(seconds=200)
    assert (left.status_code, left.json()) == (200, {"was": "admitted"})
    assert (await ann.poll()).json()["status"] == "left"


async def test_with_room_inside_one_is_in_at_once(ann: Fan, paused: SaleQueue):
    await in_thread(SaleQueue.objects.update)(admit_per_second=0)  # no permit is waited for
    await in_thread(call_everybody)(paused)

    answer = await ann.join()

    assert (answer.status_code, answer.json()["status"]) == (201, "entered")


async def test_claiming_out_of_turn_is_refused(ann: Fan, ben: Fan):
    await ann.join()

    waiting, stranger = await ann.claim(), await ben.claim()

    assert (waiting.status_code, waiting.json()["code"]) == (409, "not_your_turn")
    assert (stranger.status_code, stranger.json()["code"]) == (409, "not_in_line")


async def test_leaving_twice_is_fine(ann: Fan):
    await ann.join()

    assert (await ann.leave()).json() == {"was": "waiting"}
    assert (await ann.leave()).json() == {"was": "none"}


async def test_finishing_shows(ann: Fan, paused: SaleQueue):
    await ann.join()
    await in_thread(call_everybody)(paused)
    await ann.claim()
    await in_thread(services.complete)(event_id=paused.pk, person=ann.person, now=clock.now())

    told = (await ann.poll()).json()

    assert (told["status"], told["state"], told["token"]) == ("completed", "COMPLETED", None)


async def test_too_late_shows(ann: Fan, paused: SaleQueue):
    await ann.join()
    await in_thread(call_everybody)(paused)
    for seconds in range(0, 81, 9):
        await in_thread(services.tick_open_queues)(now=clock.now() + timedelta(seconds=seconds))

    assert (await ann.poll()).json()["state"] == "EXPIRED"


# -- refusals -------------------------------------------------------------------------------------


async def refused(answer_of) -> tuple[int, str]:
    answer = await answer_of
    assert set(answer.json()) == {"code", "message", "details"}
    return answer.status_code, answer.json()["code"]


async def test_a_full_line_refuses(ann: Fan, ben: Fan, paused: SaleQueue):
    await in_thread(services.set_knobs)(
        event_id=paused.pk, knobs={"capacity": 1}, by=None, now=clock.now()
    )
    await in_thread(services.tick_open_queues)(now=clock.now())
    await ann.join()

    full = await ben.join()

    assert (full.status_code, full.json()["code"]) == (409, "queue_full")
    assert full.headers["retry-after"] == "60"


async def test_an_event_without_a_queue_has_none(make_fan, event):
    fan = await in_thread(make_fan)(event)

    assert await refused(fan.join()) == (404, "no_queue")
    assert await refused(fan.poll()) == (404, "no_queue")
    assert await refused(fan.claim()) == (404, "no_queue")
    assert await refused(fan.leave()) == (404, "no_queue")


async def test_a_queue_that_is_not_open_says_so(make_fan, queue):
    fan = await in_thread(make_fan)(queue)

    assert await refused(fan.join()) == (409, "queue_not_open")
    assert await refused(fan.poll()) == (409, "queue_not_open")


async def test_a_closed_queue_says_so_before_and_after_it_is_archived(ann: Fan, paused: SaleQueue):
    await in_thread(move)(paused, "closed")
    before = await refused(ann.join())
    await in_thread(services.tick_open_queues)(now=clock.now())

    assert before == await refused(ann.join()) == (409, "queue_over")


async def test_a_lost_line_is_being_restored(ann: Fan, paused: SaleQueue):
    from waiting_queue import store

    await in_thread(store.erase)(paused.pk)

    answer = await ann.join()
    assert (answer.status_code, answer.json()["code"]) == (503, "queue_unavailable")
    assert answer.headers["retry-after"] == "5"


async def test_everybody_asking_for_a_line_that_is_over_costs_one_statement(
    ann: Fan, paused: SaleQueue, statements: list[str]
):
    await in_thread(move)(paused, "closed")
    await in_thread(services.tick_open_queues)(now=clock.now())
    await ann.poll()
    statements.clear()

    answers = [await refused(ann.poll()) for _ in range(5)]

    assert set(answers) == {(409, "queue_over")}
    assert len(statements) <= 1


async def test_somebody_blocked_is_told_why(ann: Fan, paused: SaleQueue):
    from waiting_queue import store

    await ann.join()
    await in_thread(store.run)(
        store.leave(paused.pk, ann.person, clock.now(), how="blocked", why="three accounts")
    )

    answer, told = await ann.join(), (await ann.poll()).json()

    assert (answer.status_code, answer.json()["code"]) == (403, "blocked")
    assert answer.json()["details"] == {"why": "three accounts"}
    assert told["state"] == "BLOCKED"


async def test_one_line_for_each_person(ann: Fan, paused: SaleQueue):
    def open_another() -> int:
        other = SaleQueue.objects.create(event=make_event(clock.now()), opens_at=clock.now())
        return move(other, "open").pk

    await ann.join()
    ann.event_id = await in_thread(open_another)()

    answer = await ann.join()

    assert (answer.status_code, answer.json()["code"]) == (409, "in_another_line")
    assert answer.json()["details"] == {"events": [paused.pk]}


async def test_refusals_speak_the_readers_language(ann: Fan):
    english = await ann.claim()
    korean = await ann.claim(**{"accept-language": "ko-KR,ko;q=0.9"})

    assert english.json()["message"] == "You are not in this line."
    assert korean.json()["message"] != english.json()["message"]
    assert any("가" <= letter <= "힣" for letter in korean.json()["message"])


async def test_a_language_that_was_chosen_beats_the_browsers(ann: Fan):
    cookie = f"sessionid={ann.session}; django_language=ko"

    answer = await ann.claim(cookie=cookie)

    assert any("가" <= letter <= "힣" for letter in answer.json()["message"])


# -- cost and crowds ------------------------------------------------------------------------------


async def test_nothing_of_it_costs_sql(ann: Fan, paused: SaleQueue, statements: list[str]):
    await aentry_rule(paused.pk)  # read once a second
    statements.clear()
    token = (await ann.join()).json()["token"]
    by_session, by_token = await ann.poll(), await ann.poll(token=token)
    await ann.claim()
    await ann.claim(token=token)
    left, again = await ann.leave(token=token), await ann.leave()

    assert (by_session.status_code, by_token.status_code) == (200, 200)
    assert (left.json(), again.json()) == ({"was": "waiting"}, {"was": "none"})
    assert statements == []


async def test_control_the_counter_sees_the_statements_of_threads(
    make_fan, event, statements: list[str]
):
    fan = await in_thread(make_fan)(event)
    statements.clear()

    await fan.poll()

    assert any("queue_salequeue" in statement for statement in statements)


async def test_a_session_that_redis_forgot_is_read_from_the_database(
    ann: Fan, statements: list[str]
):
    from django.core.cache import cache

    await in_thread(cache.delete)(f"session:{ann.session}")
    statements.clear()

    first = await ann.join()
    cost = len(statements)
    await ann.poll()

    assert first.status_code == 201
    assert cost > 0
    assert len(statements) == cost


async def test_fifty_at_once_get_fifty_numbers_in_a_row(paused: SaleQueue, make_fan):
    fans = [await in_thread(make_fan)(paused) for _ in range(50)]

    answers = await asyncio.gather(*(fan.join() for fan in fans))

    assert sorted(answer.json()["number"] for answer in answers) == list(range(1, 51))
    assert {answer.status_code for answer in answers} == {201}


async def test_one_person_fifty_times_at_once_gets_one_number(ann: Fan):
    answers = await asyncio.gather(*(ann.join() for _ in range(50)))

    assert {answer.json()["number"] for answer in answers} == {1}
    assert sorted(answer.status_code for answer in answers) == [200] * 49 + [201]
