"""The waiting page asks for the code of a lane, and says which lane one is in."""

import re
from datetime import timedelta

import pytest

from tests.waiting_queue.lanes import add_codes, add_lane
from tests.waiting_queue.views.pages import BACKEND, line_of, state_of, text
from ticketing.accounts.models import User
from ticketing.core import clock
from waiting_queue import services, store
from waiting_queue.models import Lane, LaneKey

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lane(slow_queue) -> Lane:
    grade = slow_queue.event.grades.get(code="R")
    made = add_lane(slow_queue, clock.now(), limits={"grades": [grade]})
    services.tick_open_queues(now=clock.now())
    return made


def test_the_page_offers_the_lane_and_what_it_may_buy(me, lane):
    page = text(me.get(line_of(lane.queue)))

    assert "Fan-club presale" in page
    assert "You can buy: R seat." in page
    assert 'name="code"' in page


def buttons(page: str) -> list[tuple[str, str]]:
    """The buttons of the forms that join: text, and `large` or `plain`."""
    return [
        (name, look) for look, name in re.findall(r'button--wide button--(\w+)">([^<]+)</but', page)
    ]


@pytest.mark.parametrize(
    ("language", "main", "question", "second"),
    [
        ("en", "Join the line", "Have a presale code?", "Join with code"),
        ("ko", "줄 서기", "선예매 코드가 있으신가요?", "코드로 줄 서기"),
    ],
)
def test_the_open_line_is_the_main_button_and_the_code_the_second_choice(
    me, lane, language, main, question, second
):
    page = text(me.get(line_of(lane.queue), headers={"accept-language": language}))

    assert buttons(page) == [(main, "large"), (second, "plain")]
    assert page.index(main) < page.index(question) < page.index('name="code"')


def test_while_only_the_lane_is_open_its_code_is_the_main_thing(me, lane):
    opens = lane.queue.opens_at + timedelta(days=1)
    everybody = {"key": Lane.Key.NONE, "name_en": "Open sale", "opens_at": opens}
    add_lane(lane.queue, clock.now(), **everybody)
    services.tick_open_queues(now=clock.now())

    page = text(me.get(line_of(lane.queue)))

    assert buttons(page) == [("Join with code", "large")]
    assert "Have a presale code?" not in page
    assert page.index("Join with code") < page.index("Open sale") < page.index("Opens on")


@pytest.mark.parametrize(
    ("key", "question", "button"),
    [
        (Lane.Key.MEMBERS, "Fan-club member?", "Join with membership number"),
        (Lane.Key.INVITATION, "Have an invitation code?", "Join with code"),
        (Lane.Key.EMAILS, "On the presale list?", "Join with your e-mail address"),
        (
            Lane.Key.ACCESSIBILITY,
            "Approved for accessible booking?",
            "Join with your e-mail address",
        ),
    ],
)
def test_each_kind_of_key_has_its_own_words(me, slow_queue, key, question, button):
    add_lane(slow_queue, clock.now(), key=key)
    services.tick_open_queues(now=clock.now())

    page = text(me.get(line_of(slow_queue)))

    assert question in page
    assert buttons(page) == [("Join the line", "large"), (button, "plain")]


def test_the_lane_of_everybody_keeps_one_button_with_what_it_may_buy(me, lane):
    grade = lane.queue.event.grades.get(code="S")
    everybody = {"key": Lane.Key.NONE, "name_en": "Open sale"}
    add_lane(lane.queue, clock.now(), limits={"grades": [grade]}, **everybody)
    services.tick_open_queues(now=clock.now())

    page = text(me.get(line_of(lane.queue)))

    assert buttons(page) == [("Join the line", "large"), ("Join with code", "plain")]
    assert page.index("You can buy: S seat.") < page.index("Join the line</button>")


def test_joining_needs_a_confirmed_address_also_with_a_code(me, fan, lane):
    [code] = add_codes(lane, clock.now())
    User.objects.filter(pk=fan.pk).update(email_confirmed_at=None)
    me.force_login(User.objects.get(pk=fan.pk), backend=BACKEND)

    answer = me.post(line_of(lane.queue), {"lane": "1", "code": code})

    assert answer.status_code == 403
    assert LaneKey.objects.get().used_at is None


def test_a_code_leads_into_the_lane_and_the_page_says_so(me, lane):
    [code] = add_codes(lane, clock.now())

    answer = me.post(line_of(lane.queue), {"lane": "1", "code": code}, follow=True)

    assert state_of(answer) == "waiting"
    assert "You are waiting in “Fan-club presale”. You can buy: R seat." in text(answer)


def test_a_wrong_code_is_refused_beside_the_form(me, lane):
    """And everybody who waits is counted, in whichever lane."""
    store.run(store.join(lane.queue_id, "900001", clock.now(), lane=1))

    answer = me.post(line_of(lane.queue), {"lane": "1", "code": "WRONGWRONG"})

    assert answer.status_code == 403
    assert state_of(answer) == "join"
    assert "This code is not valid for this event." in text(answer)
    assert answer.context["page_state"].waiting == 1


def test_a_lane_that_opens_later_says_when_and_has_no_button(me, slow_queue):
    opens = slow_queue.opens_at + timedelta(days=1)
    add_lane(slow_queue, clock.now(), key=Lane.Key.NONE, name_en="Open sale", opens_at=opens)
    services.tick_open_queues(now=clock.now())

    page = text(me.get(line_of(slow_queue)))

    assert "Opens on" in page
    assert '<button class="button button--wide button--large">' not in page


def test_a_line_without_lanes_says_nothing_of_them(me, slow_queue):
    page = text(me.get(line_of(slow_queue)))

    assert 'name="code"' not in page
    assert 'class="lane' not in page
