"""Events in JSON: only what the public may see, in both languages, in few statements."""

from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from tests.making import make_event, make_plan, seat_ids
from ticketing.events import services
from ticketing.events.models import Event

pytestmark = pytest.mark.django_db

EVENTS = "/api/v1/events/"


def test_the_index_links_to_everything(client: Client) -> None:
    links = client.get("/api/v1/").json()

    assert set(links) == {"events", "schema", "docs"}
    assert {client.get(link).status_code for link in links.values()} == {200}


@pytest.mark.parametrize("state", Event.State.values)
def test_every_event_but_a_draft_is_listed(client: Client, now: datetime, state: str) -> None:
    event = make_event(now, state=state)

    listed = [row["id"] for row in client.get(EVENTS).json()["results"]]

    assert listed == ([] if state == "draft" else [event.pk])
    assert client.get(f"{EVENTS}{event.pk}/").status_code == (404 if state == "draft" else 200)


def test_an_event_says_everything_in_both_languages(client: Client, now: datetime) -> None:
    event = make_event(now, plan=make_plan(rows=3, seats_per_row=4, standing=5))
    services.block_seats(
        event_id=event.pk, seat_ids=seat_ids(event)[:2], by=None, reason="", now=now
    )

    told = client.get(f"{EVENTS}{event.pk}/").json()

    assert told["title"] == {"ko": event.title_ko, "en": event.title_en}
    assert told["venue"]["name"] == {"ko": "한강 아레나", "en": "Hangang Arena"}
    assert told["organiser"]["name"]["en"] == "Moonlight"
    assert datetime.fromisoformat(told["starts_at"]) == event.starts_at
    assert told["starts_at"].endswith("+09:00")
    assert told["status"] == "on_sale"
    left = {grade["code"]: (grade["left"], grade["total"]) for grade in told["grades"]}
    assert left == {"F": (5, 5), "R": (6, 8), "S": (4, 4)}
    assert {grade["currency"] for grade in told["grades"]} == {"KRW"}
    assert client.get(told["links"]["seats"]).status_code == 200
    assert client.get(told["links"]["self"]).json() == told


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_answer_is_the_same_in_every_language(
    client: Client, event: Event, language: str
) -> None:
    told = client.get(f"{EVENTS}{event.pk}/", headers={"accept-language": language}).json()

    assert told["title"] == {"ko": event.title_ko, "en": event.title_en}


def test_search_and_status_narrow_the_list(client: Client, now: datetime) -> None:
    autumn = make_event(now, title_en="Autumn Sonata", state="announced")
    make_event(now, title_en="Autumn Rock", state="closed")
    make_event(now, title_en="Winter Rock", state="announced")

    found = client.get(EVENTS, {"search": "autumn", "status": "announced"}).json()

    assert [row["id"] for row in found["results"]] == [autumn.pk]


def test_pages_follow_each_other(client: Client, now: datetime) -> None:
    plan = make_plan()
    made = {make_event(now, plan=plan, seats=False).pk for _ in range(5)}
    url: str | None = f"{EVENTS}?page_size=2&search=moon"
    seen: list[int] = []

    while url:
        page = client.get(url).json()
        seen += [row["id"] for row in page["results"]]
        url = page["next"]

    assert page["count"] == len(seen) == 5
    assert set(seen) == made
    assert "page=2" in page["previous"]
    assert client.get(EVENTS, {"page": 9}).json()["results"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=x", "page"),
        ("page=99999999999999999999", "page"),
        ("page_size=101", "page_size"),
        ("page_size=-1", "page_size"),
        ("status=draft", "status"),
        ("status=nonsense", "status"),
        (f"search={'a' * 101}", "search"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(client: Client, query: str, field: str) -> None:
    answer = client.get(f"{EVENTS}?{query}")

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")
    assert list(answer.json()["details"]["fields"]) == [field]


@pytest.mark.parametrize(
    "path", ["/api/v1/nonsense/", "/api/v1/events/x/", "/api/", "/api/v1/events/0/"]
)
@pytest.mark.parametrize("accept", ["text/html", "application/json", "image/png"])
def test_an_unknown_address_is_refused_in_json_even_to_browsers(
    client: Client, path: str, accept: str
) -> None:
    answer = client.get(path, headers={"accept": accept})

    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    assert set(answer.json()) == {"code", "message", "details"}


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_here_can_be_written(client: Client, event: Event, method: str) -> None:
    answer = getattr(client, method)(f"{EVENTS}{event.pk}/seats/")

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize("seats_per_row", [2, 30])
def test_statements_do_not_grow(
    client: Client, now: datetime, counting_sql: Any, seats_per_row: int
) -> None:
    plan = make_plan(rows=5, seats_per_row=seats_per_row)
    events = [make_event(now, plan=plan) for _ in range(seats_per_row // 2)]

    with counting_sql() as listing:
        client.get(EVENTS)
    with counting_sql() as showing:
        client.get(f"{EVENTS}{events[0].pk}/")

    assert len(listing) <= 3
    assert len(showing) <= 3
