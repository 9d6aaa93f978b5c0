"""Lanes over the API: the list, and joining with a key."""

import pytest

from tests.making import make_user
from tests.waiting_queue.lanes import add_codes, add_lane
from tests.waiting_queue.views.pages import BACKEND
from ticketing.core.browsers import browser_of
from waiting_queue import services
from waiting_queue.errors import PassElsewhere
from waiting_queue.models import LaneKey, SaleQueue
from waiting_queue.services import PassProof

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def program(client, fan):
    client.force_login(fan, backend=BACKEND)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def lane(open_queue, now):
    SaleQueue.objects.update(admit_per_second=0)  # whoever comes is inside at once
    made = add_lane(open_queue, now, limits={"grades": [open_queue.event.grades.first()]})
    services.tick_open_queues(now=now)
    return made


def join(program, of_lane, **body):
    address = f"/api/v1/events/{of_lane.queue_id}/queue/lanes/join/"
    own = {"origin": "http://testserver"}
    return program.post(address, body, content_type="application/json", headers=own)


def test_anybody_can_list_the_lanes(client, lane):
    listed = client.get(f"/api/v1/events/{lane.queue_id}/queue/lanes/").json()["lanes"]

    assert [(one["lane"], one["key"], one["weight"], one["grades"]) for one in listed] == [
        (1, "codes", 1, ["R"])
    ]


def test_a_code_joins_its_lane_once(program, lane, now):
    [code] = add_codes(lane, now)

    joined, again = join(program, lane, code=code), join(program, lane, code=code)

    assert (joined.status_code, again.status_code) == (201, 200)
    assert (joined.json()["lane"], joined.json()["number"]) == (1, 1)
    assert joined.json()["token"].startswith("qr_")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"code": "WRONGWRONG"}, 403, "lane_key_unknown"),
        ({"lane": 1}, 403, "lane_key_unknown"),
        ({"lane": 9}, 404, "not_found"),
        ({"lane": "x"}, 400, "invalid_input"),
    ],
)
def test_refusals_have_one_shape(program, lane, body, status, code):
    answer = join(program, lane, **body)

    assert answer.status_code == status
    assert answer.json()["code"] == code
    assert set(answer.json()) == {"code", "message", "details"}


def test_the_address_must_be_confirmed_also_with_a_key(client, lane, now):
    [code] = add_codes(lane, now)
    client.force_login(make_user(email_confirmed_at=None), backend=BACKEND)

    answer = join(client, lane, code=code)

    assert (answer.status_code, answer.json()["code"]) == (403, "email_not_confirmed")
    assert LaneKey.objects.get().used_at is None


def test_whoever_is_inside_at_once_has_the_pass_in_this_browser(program, fan, lane, now):
    [code] = add_codes(lane, now)

    joined = join(program, lane, code=code)

    assert (joined.json()["status"], joined.json()["elsewhere"]) == ("entered", False)
    here = browser_of({"cookie": joined.headers["Set-Cookie"].split(";")[0]})
    who = {"event_id": lane.queue_id, "person": str(fan.pk), "now": now}
    assert services.require_turn(**who, proof=PassProof(here)).lane == 1
    with pytest.raises(PassElsewhere):
        services.require_turn(**who, proof=PassProof(browser_of({})))


def test_whoever_is_not_logged_in_is_refused(client, lane):
    assert join(client, lane, code="ABCDEFGHJK").status_code == 401
