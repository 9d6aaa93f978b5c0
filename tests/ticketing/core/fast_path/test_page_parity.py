"""A page from a rendered copy is the page that Django would have sent, for whoever asks."""

from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async

from tests.ticketing.core.fast_path import site as sites
from tests.ticketing.core.fast_path.site import Site, amake_visitor, masked
from waiting_queue import services as queue

pytestmark = pytest.mark.django_db(transaction=True)

# Validators are the copies' own; lengths and times depend on the moment, and cookies are compared
# by their names and attributes.
NOT_COMPARED = {"etag", "content-length", "expires", "set-cookie"}
SITUATIONS: dict[str, tuple[str, Any]] = {
    "home": ("/", sites.event_in("on_sale")),
    "event on sale": ("/events/{pk}/", sites.event_in("on_sale")),
    "event opens soon": ("/events/{pk}/", sites.soon),
    "event cancelled": ("/events/{pk}/", sites.event_in("cancelled")),
    "event with a line": ("/events/{pk}/", sites.with_line("open")),
    "document": ("/legal/terms/", sites.with_documents),
    "version of a document": ("/legal/terms/1/", sites.with_documents),
    "no document": ("/legal/nothing/", sites.with_documents),
    "draft": ("/events/{pk}/", sites.event_in("draft")),
    "poster": ("/events/{pk}/poster.svg", sites.event_in("on_sale")),
    "line not open": ("/events/{pk}/queue/", sites.with_line("scheduled")),
    "lobby": ("/events/{pk}/queue/", sites.with_line("lobby")),
    "line open": ("/events/{pk}/queue/", sites.with_line("open")),
    "line open, its part": ("/events/{pk}/queue/?part=1", sites.with_line("open")),
    "line of its own": ("/events/{pk}/queue/", sites.with_own_page),
    "its colours": ("/events/{pk}/queue/colours.css", sites.with_own_page),
    "no colours": ("/events/{pk}/queue/colours.css", sites.with_line("open")),
    "line paused": ("/events/{pk}/queue/", sites.with_line("paused")),
    "line full": ("/events/{pk}/queue/", sites.with_line("open", capacity=0)),
    "line draining": ("/events/{pk}/queue/", sites.with_line("draining")),
    "line closed": ("/events/{pk}/queue/", sites.with_line("closed")),
    "no line": ("/events/{pk}/queue/", sites.event_in("on_sale")),
    "no draw": ("/events/{pk}/draw/", sites.with_line("open")),
    "seats without a line": ("/events/{pk}/seats/", sites.event_in("on_sale")),
    "seats with a line": ("/events/{pk}/seats/", sites.with_line("open")),
    "seats before the line": ("/events/{pk}/seats/", sites.with_line("scheduled")),
    "seats not on sale": ("/events/{pk}/seats/", sites.event_in("closed")),
}


def differences(copy: httpx.Response, django: httpx.Response) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if copy.status_code != django.status_code:
        found["status"] = copy.status_code, django.status_code
    names = {*copy.headers, *django.headers} - NOT_COMPARED
    for name in names:
        left, right = copy.headers.get(name), django.headers.get(name)
        if name == "vary":
            left, right = (set((text or "").split(", ")) for text in (left, right))
        if left != right:
            found[name] = left, right
    if cookie_names(copy) != cookie_names(django):
        found["set-cookie"] = cookie_names(copy), cookie_names(django)
    if masked(copy.text) != masked(django.text):
        found["body"] = unlike_lines(masked(copy.text), masked(django.text))
    return found


def cookie_names(response: httpx.Response) -> list[tuple[str, ...]]:
    """Each cookie's name and attributes."""
    cookies = response.headers.get_list("set-cookie")
    split = [(cookie.partition("=")[0], cookie.split("; ")[1:]) for cookie in cookies]
    return [
        (name, *(a for a in sorted(rest) if not a.startswith("expires"))) for name, rest in split
    ]


def unlike_lines(left: str, right: str) -> list[tuple[str, str]]:
    pairs = zip(left.splitlines(), right.splitlines(), strict=False)
    return [pair for pair in pairs if pair[0] != pair[1]][:3]


@pytest.fixture(params=SITUATIONS)
async def path(request: Any, loop_resources: None, now: Any) -> str:
    template, make = SITUATIONS[request.param]
    event = await sync_to_async(make)(now)
    return template.format(pk=event.pk)


async def test_a_copy_is_the_page(site: Site, path: str):
    fan = await amake_visitor()
    people: list[dict[str, Any]] = [{}, {"cookie": fan.cookie}]
    found = {}
    for person in people:
        for headers in (
            {},
            {"accept_language": "ko-KR,ko;q=0.9"},
            {
                "accept_language": "fr",
                "cookie": f"{person.get('cookie', 'a=b')}; django_language=en",
            },
            {"accept_encoding": "identity"},
            {"accept_encoding": None},
            {"accept": None},
            {"method": "HEAD"},
            {"range": "bytes=0-9"},
            {"authorization": "Bearer tk_nonsense"},
            {"cookie": f"{person.get('cookie', 'a=b')}; csrftoken={'a' * 32}"},
            {"cookie": f"{person.get('cookie', 'a=b')}; csrftoken=nonsense"},
        ):
            sent = person | headers
            if unlike := differences(await site.get(path, **sent), await site.django(path, **sent)):
                found[str(sent)] = unlike

    assert found == {}


@pytest.mark.parametrize("state", ["lobby", "paused"])
@pytest.mark.parametrize("query", ["", "?part=1"])
async def test_a_copy_is_the_page_of_whoever_is_in_the_line(
    site: Site, state: str, query: str, now: Any
):
    """With an outlook by grade, as a tick announces it."""
    event = await sync_to_async(sites.with_line(state))(now)
    people = [await amake_visitor() for _ in range(3)]
    for one in people:
        await sync_to_async(queue.join)(event_id=event.pk, person=str(one.user.pk), now=now)
    await sync_to_async(queue.tick_open_queues)(now=now)
    path = f"/events/{event.pk}/queue/{query}"
    found = {}
    for one in people:
        for language in ("en", "ko"):
            sent = {"cookie": one.cookie, "accept_language": language}
            if unlike := differences(await site.get(path, **sent), await site.django(path, **sent)):
                found[str(sent)] = unlike

    assert found == {}
    assert site.fell_through == 0
