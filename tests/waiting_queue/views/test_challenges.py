"""The page of a challenge: for browsers without a script, or in which it can't work."""

import json

import pytest

from tests.waiting_queue.challenges import rush, solution_of
from tests.waiting_queue.views.pages import line_of
from ticketing.core import clock
from waiting_queue import services

pytestmark = pytest.mark.django_db(transaction=True)


def test_in_a_rush_the_form_comes_back_with_a_challenge(me, fan, slow_queue):
    rush(slow_queue.pk)

    asked = me.post(line_of(slow_queue))

    assert asked.status_code == 403
    assert b'data-code="challenge_required"' in asked.content
    assert b"Please wait" in asked.content
    assert json.loads(asked.context["challenge_json"])["kind"] == "proof_of_work"
    assert standing(slow_queue, fan).state == "none"


def test_the_solved_form_joins(me, fan, slow_queue):
    rush(slow_queue.pk)
    challenge = me.post(line_of(slow_queue)).context["challenge"]

    sent = me.post(line_of(slow_queue), {"solution": solution_of(challenge)})

    assert sent.status_code == 303
    assert standing(slow_queue, fan).state == "waiting"


def test_who_presses_too_early_keeps_the_token(me, slow_queue):
    rush(slow_queue.pk)
    wait = me.post(line_of(slow_queue)).context["challenge"]["wait"]

    again = me.post(line_of(slow_queue), {"solution": wait["token"]})

    assert again.status_code == 403
    assert again.context["challenge"]["wait"]["token"] == wait["token"]


def test_a_party_is_joined_with_a_solved_form_too(me, fan, slow_queue):
    who = {"event_id": slow_queue.pk, "now": clock.now()}
    services.join(**who, person="71")
    path = f"{line_of(slow_queue)}party/{services.invite(**who, person='71').code}/"
    rush(slow_queue.pk)

    asked = me.post(path)

    assert asked.status_code == 403
    assert f'action="{path}"' in asked.content.decode()
    me.post(path, {"solution": solution_of(asked.context["challenge"])})
    assert standing(slow_queue, fan).leader == "71"


def test_the_page_before_joining_names_no_person(me, slow_queue):
    """It stays a shared copy: the challenge comes with the answer to the join."""
    rush(slow_queue.pk)

    assert b"keyPrefix" not in me.get(line_of(slow_queue)).content


def standing(queue, fan):
    return services.standing(event_id=queue.pk, person=str(fan.pk), now=clock.now())
