"""Who may speak at the desk, and from where."""

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from tests.making import make_event
from tests.waiting_queue.api.conftest import OWN, Fan, call_everybody, move
from ticketing.accounts import services as accounts
from ticketing.core import clock
from waiting_queue.models import SaleQueue
from waiting_queue.tokens import QueueToken, read_token

pytestmark = pytest.mark.django_db(transaction=True)
in_thread = sync_to_async


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# -- queue tokens ---------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["poll", "claim", "leave"])
async def test_a_forged_token_is_worth_nothing(ann: Fan, verb: str):
    token = (await ann.join()).json()["token"]
    spoiled = token[:-2] + ("AA" if token[-2:] != "AA" else "BB")

    for forged in (spoiled, "qr_", "qr_x", "qr_e30.e30", "qr_\xe9.x"):
        answer = await getattr(ann, verb)(token=forged)
        assert code(answer) == (401, "bad_queue_token")
        assert answer.headers["www-authenticate"].startswith("Bearer")
    assert (await ann.poll()).json()["status"] == "waiting"


async def test_a_token_of_another_event_is_refused(ann: Fan, paused: SaleQueue):
    def another() -> int:
        return SaleQueue.objects.create(event=make_event(clock.now()), opens_at=clock.now()).pk

    token = (await ann.join()).json()["token"]
    ann.event_id = await in_thread(another)()

    assert code(await ann.poll(token=token)) == (401, "bad_queue_token")


async def test_a_token_speaks_for_its_person_whoever_is_logged_in(ann: Fan, ben: Fan):
    anns = (await ann.join()).json()["token"]
    await ben.join()
    cookie = f"sessionid={ben.session}"

    told = (await ben.poll(token=anns, cookie=cookie)).json()

    assert told["number"] == 1


async def test_a_token_dies_with_the_place(ann: Fan):
    old = (await ann.join()).json()["token"]
    await ann.leave()
    new = (await ann.join()).json()["token"]

    refusals = [code(await act(token=old)) for act in (ann.poll, ann.claim, ann.leave)]

    assert refusals == [(401, "bad_queue_token")] * 3
    assert (await ann.poll(token=new)).json()["number"] == 2


async def test_a_token_of_somebody_who_left_only_learns_that(ann: Fan):
    token = (await ann.join()).json()["token"]
    await ann.leave()

    assert (await ann.poll(token=token)).json()["status"] == "left"
    assert code(await ann.claim(token=token)) == (409, "not_in_line")
    assert (await ann.leave(token=token)).json() == {"was": "none"}


async def test_a_token_from_before_a_rebuild_may_ask_and_is_renewed_but_may_not_act(
    ann: Fan, paused: SaleQueue
):
    now = read_token((await ann.join()).json()["token"])
    before = QueueToken(now.event_id, now.person, now.number, "an-earlier-epoch").sign()

    told = (await ann.poll(token=before)).json()

    assert code(await ann.claim(token=before)) == (401, "bad_queue_token")
    assert code(await ann.leave(token=before)) == (401, "bad_queue_token")
    assert read_token(told["token"]) == now


async def test_a_lobby_token_may_ask_after_the_draw_and_is_told_the_new_one(
    make_fan, queue: SaleQueue
):
    fan: Fan = await in_thread(make_fan)(queue)
    await in_thread(move)(queue, "lobby")
    lobby = (await fan.join()).json()
    at_first = (await fan.poll(token=lobby["token"])).json()
    await in_thread(call_everybody)(queue)
    await in_thread(call_everybody_again)()

    told = (await fan.poll(token=lobby["token"])).json()

    assert (lobby["status"], lobby["number"], at_first["token"]) == ("lobby", None, None)
    assert (told["number"], told["status"]) == (1, "ready")
    assert code(await fan.claim(token=lobby["token"])) == (401, "bad_queue_token")
    assert code(await fan.leave(token=lobby["token"])) == (401, "bad_queue_token")
    assert (await fan.claim(token=told["token"])).json()["status"] == "entered"


def call_everybody_again() -> None:
    from datetime import timedelta

    from waiting_queue import services

    for seconds in (6, 7, 8):
        services.tick_open_queues(now=clock.now() + timedelta(seconds=seconds))


async def test_a_lobby_token_is_nothing_to_whoever_came_back_later(make_fan, queue: SaleQueue):
    fan: Fan = await in_thread(make_fan)(queue)
    await in_thread(move)(queue, "lobby")
    token = (await fan.join()).json()["token"]
    await fan.leave()
    await in_thread(call_everybody)(queue)
    await in_thread(move)(queue, "paused")
    await fan.join()

    assert code(await fan.poll(token=token)) == (401, "bad_queue_token")


async def test_joining_takes_more_than_a_queue_token(ann: Fan):
    token = (await ann.join()).json()["token"]

    assert code(await ann.join(token=token)) == (401, "not_logged_in")


# -- sessions and API tokens ----------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["join", "poll", "claim", "leave"])
async def test_nobody_speaks_without_saying_who(ann: Fan, verb: str):
    for cookie in ("", "sessionid=", "sessionid=nosuchsession0000", "other=1"):
        answer = await getattr(ann, verb)(cookie=cookie)
        assert code(answer) == (401, "not_logged_in")


async def test_a_session_that_ended_speaks_for_nobody(ann: Fan):
    await in_thread(accounts.log_out_everywhere)(user=ann.user)

    assert code(await ann.join()) == (401, "not_logged_in")


async def test_an_address_has_to_be_confirmed_to_join(open_queue, make_fan):
    stranger = await in_thread(make_fan)(open_queue, email_confirmed_at=None)

    assert code(await stranger.join()) == (403, "email_not_confirmed")
    assert (await stranger.poll()).json()["status"] != "waiting"


async def test_programs_may_use_an_api_token(ann: Fan):
    _, secret = await in_thread(accounts.create_token)(user=ann.user, name="bot", now=clock.now())

    joined = await ann.join(token=secret)

    assert (joined.status_code, joined.json()["number"]) == (201, 1)
    assert (await ann.poll(token=secret)).json()["token"] == joined.json()["token"]
    assert (await ann.join(token="tk_nonsense")).status_code == 401


# -- other sites ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "https://testserver"},
        {"origin": ""},
        {"origin": "https://evil.example", "sec-fetch-site": "same-origin"},
    ],
)
async def test_another_site_changes_nothing(ann: Fan, told: dict[str, str]):
    for verb in (ann.join, ann.claim, ann.leave):
        assert code(await verb(**told)) == (403, "foreign_origin")
    assert (await ann.poll(**told)).json()["status"] == "none"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"sec-fetch-site": "same-origin"}, 201),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
        ({"referer": f"{OWN}/events/7/"}, 201),
        ({"referer": "http://evil.example/?http://testserver/"}, 403),
        ({"referer": "http://[bad"}, 403),
    ],
)
async def test_without_an_origin_the_browser_must_say_where_from(
    ann: Fan, headers: dict[str, str], status: int
):
    answer = await ann.http.post(
        f"/api/v1/events/{ann.event_id}/queue/",
        headers={"cookie": f"sessionid={ann.session}"} | headers,
    )

    assert answer.status_code == status


async def test_trusted_origins_are_trusted(ann: Fan, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.tickets.example"]

    assert (await ann.join(origin="https://tickets.example.evil")).status_code == 403
    assert (await ann.join(origin="http://shop.tickets.example")).status_code == 403
    assert (await ann.join(origin="https://shop.tickets.example")).status_code == 201


async def test_a_token_needs_no_origin(ann: Fan):
    token = (await ann.join()).json()["token"]

    assert (await ann.leave(token=token, origin="https://evil.example")).status_code == 200


async def test_an_unknown_host_is_refused(ann: Fan):
    answer = await ann.poll(host="evil.example")

    assert code(answer) == (400, "invalid_input")


async def test_plain_http_is_sent_to_https_where_tls_is_asked_for(ann: Fan, monkeypatch):
    monkeypatch.setattr(settings, "SECURE_SSL_REDIRECT", True)
    taken_by_django: list[str] = []

    async def fallback(scope, receive, send):
        taken_by_django.append(scope["path"])
        await send({"type": "http.response.start", "status": 301, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    from ticketing import asgi

    monkeypatch.setattr(asgi.site, "fallback", fallback)

    assert (await ann.join()).status_code == 301
    assert len(taken_by_django) == 1


async def test_answers_are_safe_to_show_and_never_kept(ann: Fan):
    for answer in (await ann.join(), await ann.claim()):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-type"] == "application/json"
        assert "strict-transport-security" not in answer.headers


# -- odd requests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "OPTIONS", "BREW"])
async def test_other_methods_are_refused(ann: Fan, method: str):
    answer = await ann.ask(method)

    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "POST", "DELETE"}


async def test_claiming_is_a_post(ann: Fan):
    assert code(await ann.ask("GET", "claim/")) == (405, "method_not_allowed")


@pytest.mark.parametrize("path", ["nothing/", "claim/again/", "../queue"])
async def test_other_addresses_are_not_found(ann: Fan, path: str):
    answer = await ann.ask("DELETE", path)

    assert answer.status_code in {301, 404}


async def test_a_small_body_is_ignored_and_a_large_one_refused(ann: Fan):
    address = f"/api/v1/events/{ann.event_id}/queue/"
    headers = {"cookie": f"sessionid={ann.session}", "origin": OWN}

    async def in_parts():
        for _ in range(40):
            yield b"x" * 100

    large = await ann.http.post(address, headers=headers, content=b"x" * 2_000)
    without_length = await ann.http.post(address, headers=headers, content=in_parts())
    small = await ann.http.post(address, headers=headers, content=b'{"a": 1}')

    assert code(large) == code(without_length) == (413, "too_large")
    assert large.headers["connection"] == "close"
    assert small.status_code == 201
