"""The waiting page asks for the code of a lane, and says which lane one is in."""

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
    assert "Join the line" in page


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
