"""Parties through the API, on the real application."""

import pytest

from tests.waiting_queue.api.conftest import OWN, Fan

pytestmark = pytest.mark.django_db(transaction=True)


async def post(fan: Fan, path: str, **body: str):
    headers = {"cookie": f"sessionid={fan.session}", "origin": OWN, "accept-language": "en"}
    address = f"/api/v1/events/{fan.event_id}/queue/{path}"
    return await fan.http.post(address, headers=headers, json=body)


async def test_a_companion_joins_with_the_code_and_sees_the_place(ann: Fan, ben: Fan):
    await ann.join()
    invited = await ann.ask("POST", "party/")
    assert (invited.status_code, invited.json()["people"]) == (200, 1)

    joined = await post(ben, "party/join/", code=invited.json()["code"])

    told = joined.json()
    assert joined.status_code == 201
    assert (told["state"], told["number"], told["position"]) == ("WAITING", 1, 1)
    assert told["party"] == {"leads": False, "people": 2}
    again = await post(ben, "party/join/", code=invited.json()["code"])
    assert again.status_code == 200
    shown = (await ann.ask("GET", "party/")).json()
    assert (shown["leads"], shown["people"], shown["code"]) == (True, 2, invited.json()["code"])
    assert (await ben.ask("GET", "party/")).json()["code"] is None


async def test_a_companion_polls_with_a_token_and_leaves(ann: Fan, ben: Fan):
    await ann.join()
    code = (await ann.ask("POST", "party/")).json()["code"]
    token = (await post(ben, "party/join/", code=code)).json()["token"]

    assert (await ben.poll(token=token)).json()["number"] == 1
    assert (await ben.leave(token=token)).json() == {"was": "waiting"}
    assert (await ann.poll()).json()["state"] == "WAITING"


async def test_refusals(ann: Fan, ben: Fan):
    assert (await ann.ask("GET", "party/")).status_code == 409
    assert (await ann.ask("POST", "party/")).json()["code"] == "not_in_line"
    assert (await post(ben, "party/join/", code="WRONG")).json()["code"] == "no_invitation"
    assert (await post(ben, "party/join/")).status_code == 400
    foreign = await ann.ask("POST", "party/", origin="https://elsewhere.example")
    assert foreign.status_code == 403
