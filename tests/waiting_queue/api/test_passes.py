"""The pass over HTTP: given to the browser that has the turn, renewed, and ended."""

from dataclasses import replace
from http.cookies import SimpleCookie

import pytest
from asgiref.sync import sync_to_async

from tests.waiting_queue.api.conftest import logged_in, move
from ticketing.accounts.services import create_token
from ticketing.core import clock
from ticketing.core.browsers import browser_of
from waiting_queue.tokens import PASS_SECONDS, RENEWED_SECONDS, read_token

pytestmark = pytest.mark.django_db(transaction=True)


def given(response):
    """The browser's cookie that an answer sets, as a browser sends it back."""
    cookie = SimpleCookie(response.headers.get("set-cookie", ""))
    return "; ".join(f"{name}={each.value}" for name, each in cookie.items())


def with_cookie(fan, browser):
    return {"cookie": f"sessionid={fan.session}; {browser}"}


async def come_in(fan):
    """Joins at once, and asks again as the seat page does: the browser's cookie."""
    browser = given(await fan.join())
    return browser, await fan.poll(**with_cookie(fan, browser))


@pytest.fixture
def fan(queue, make_fan):
    """At a line that lets everybody in at once."""
    queue.admit_per_second = 0
    queue.save()
    return make_fan(move(queue, "open"))


async def test_a_new_browser_gets_its_cookie_once(fan):
    first = await fan.join()
    again = await fan.join(**with_cookie(fan, given(first)))

    assert given(first).startswith("browser=")
    assert "set-cookie" not in again.headers


async def test_the_token_of_somebody_inside_is_a_pass_for_their_browser(fan):
    browser, inside = await come_in(fan)

    told, pass_ = inside.json(), read_token(inside.json()["token"])
    assert (told["state"], told["elsewhere"]) == ("ADMITTED", False)
    assert pass_.browser == browser_of({"cookie": browser}).mark
    assert 0 <= pass_.until - clock.now().timestamp() - PASS_SECONDS + 5 <= 5


async def test_another_browser_is_told_that_it_is_elsewhere_and_gets_no_pass(fan):
    await come_in(fan)

    other = await fan.poll()
    claimed = await fan.claim()

    for told in (other.json(), claimed.json()):
        assert (told["state"], told["elsewhere"]) == ("ADMITTED", True)
        assert read_token(told["token"]).browser == ""
    assert "set-cookie" not in claimed.headers


async def test_a_place_in_line_has_a_token_of_no_browser(ann):
    waiting = (await ann.join()).json()

    token = read_token(waiting["token"])
    assert (token.browser, token.until, waiting["elsewhere"]) == ("", 0, False)


def with_seconds_left(pass_, seconds):
    """The same pass, given earlier."""
    until = int(clock.now().timestamp()) + seconds
    return replace(read_token(pass_), until=until).sign()


async def test_a_pass_polls_by_itself_and_is_renewed_when_half_of_it_is_over(fan):
    _, inside = await come_in(fan)
    pass_ = inside.json()["token"]
    half_over = with_seconds_left(pass_, RENEWED_SECONDS - 5)

    same, renewed = await fan.poll(token=pass_), await fan.poll(token=half_over)

    assert same.json()["token"] is None
    assert read_token(renewed.json()["token"]).until > read_token(half_over).until + 200


async def test_a_pass_that_ran_out_is_refused_and_a_session_gets_a_new_one(fan):
    browser, inside = await come_in(fan)
    pass_ = with_seconds_left(inside.json()["token"], -1)

    refused = [await fan.poll(token=pass_), await fan.leave(token=pass_)]
    by_session = await fan.poll(**with_cookie(fan, browser))

    codes = [(one.status_code, one.json()["code"]) for one in refused]
    assert codes == [(401, "bad_queue_token")] * 2
    assert read_token(by_session.json()["token"]).browser == read_token(pass_).browser


async def test_a_program_without_cookies_has_the_pass_by_its_api_token(fan):
    _, secret = await sync_to_async(create_token)(user=fan.user, name="script", now=clock.now())

    joined = await fan.join(token=secret)
    other = await fan.poll()

    assert read_token(joined.json()["token"]).browser
    assert "set-cookie" not in joined.headers
    assert other.json()["elsewhere"]


async def test_whoever_logs_in_again_in_the_same_browser_goes_on(fan):
    browser, _ = await come_in(fan)
    fan.session = await sync_to_async(logged_in)(fan.user)

    again = await fan.poll(**with_cookie(fan, browser))

    assert not again.json()["elsewhere"]


async def test_the_short_address_answers_with_its_four_fields(ann, http):
    headers = {"cookie": f"sessionid={ann.session}", "origin": "http://testserver"}
    address = f"/api/v1/events/{ann.event_id}/token/"

    joined = await http.post(address, headers=headers)
    again = await http.post(address, headers=headers)

    assert (joined.status_code, again.status_code) == (201, 200)
    assert list(joined.json()) == ["token", "status", "rank", "aheadCount"]
    assert joined.json()["token"].startswith("qr_")
    assert (again.json()["status"], again.json()["rank"]) == ("waiting", 0)
