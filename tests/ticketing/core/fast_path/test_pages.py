"""Who gets a rendered copy, what is in it, and how old it may be."""

import asyncio
import gzip
import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib import messages
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from redis.exceptions import ConnectionError as RedisDown

from tests.making import make_event, seat_ids
from tests.reservations.acting import hold
from tests.ticketing.core.fast_path import site as sites
from tests.ticketing.core.fast_path.site import Site, amake_visitor, masked
from ticketing import asgi
from ticketing.core import clock
from ticketing.core.fast_path import page_copies, store
from ticketing.core.fast_path import pages as pages_module
from ticketing.core.latency import FEWEST, Latency
from ticketing.events.models import Event
from waiting_queue import services as queue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine renders slowly; a test of that says so itself."""
    monkeypatch.setattr(page_copies, "PATIENCE_SECONDS", 60)


PATHS = ("/", "/events/{pk}/", "/events/{pk}/queue/", "/events/{pk}/draw/", "/events/{pk}/seats/")


@pytest.fixture
async def event(loop_resources: None, now: Any) -> Event:
    return await sync_to_async(sites.with_line("open"))(now)


async def run(work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return await sync_to_async(work)(*args, **kwargs)


# -- who gets a copy -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
async def test_strangers_and_members_share_copies_without_sql(
    site: Site, event: Event, path: str, monkeypatch: Any
):
    """After the first render nothing is read from the database, and no thread is used."""
    fan, other = await amake_visitor("Ann"), await amake_visitor("Ben")
    path = path.format(pk=event.pk)
    for person in ({}, {"cookie": fan.cookie}):
        assert (await site.get(path, **person)).status_code == 200
    rendered = len(site.renders)
    monkeypatch.setattr(page_copies, "in_render_thread", None)
    monkeypatch.setattr(site.copies, "_kept", forever(site.copies._kept))

    pages = [await site.get(path, cookie=person.cookie) for person in (fan, other)]
    stranger = await site.get(path)

    assert [page.status_code for page in (*pages, stranger)] == [200] * 3
    assert ["Ann" in pages[0].text, "Ben" in pages[1].text] == [True, True]
    assert (site.fell_through, len(site.renders)) == (0, rendered)


async def test_copies_are_timed_like_other_pages(site: Site, event: Event, monkeypatch: Any):
    latency = Latency()
    monkeypatch.setattr(pages_module, "page_latency", latency)
    path = f"/events/{event.pk}/"

    for _ in range(FEWEST - 1):
        await site.get(path)
    too_few = latency.p95_ms()
    await site.get(path)

    assert (too_few, site.fell_through) == (None, 0)
    assert latency.p95_ms()


def forever(kept: dict[Any, Any]) -> dict[Any, Any]:
    return {variant: one._replace(until=float("inf")) for variant, one in kept.items()}


async def test_whoever_is_in_the_line_gets_their_own_waiting_page(
    site: Site, loop_resources: None, now: Any
):
    event = await run(sites.with_line("paused"), now)
    fan, other = await amake_visitor("Ann"), await amake_visitor("Ben")
    path = f"/events/{event.pk}/queue/"
    before = await site.get(path, cookie=fan.cookie)
    await run(queue.join, event_id=event.pk, person=str(fan.user.pk), now=clock.now())

    after, theirs = [await site.get(path, cookie=one.cookie) for one in (fan, other)]

    assert "Join the line" in before.text
    assert "You are in line" in after.text
    assert "Join the line" in theirs.text
    assert site.fell_through == 0


async def test_people_in_line_share_a_copy_and_each_sees_their_own_place(
    site: Site, loop_resources: None, now: Any
):
    event = await run(sites.with_line("paused"), now)
    people = [await amake_visitor(name) for name in ("Ann", "Ben", "Cem")]
    for one in people:
        await run(queue.join, event_id=event.pk, person=str(one.user.pk), now=clock.now())
    path = f"/events/{event.pk}/queue/"

    pages = [await site.get(path, cookie=one.cookie) for one in people]
    django = [await site.django(path, cookie=one.cookie) for one in people]

    numbers = [re.search(r"data-number>(\d+)<", page.text) for page in pages]
    assert [number and number[1] for number in numbers] == ["1", "2", "3"]
    tokens = [re.search(r"qr_[-\w.]+", page.text) for page in pages]
    assert len({token and token[0] for token in tokens}) == 3
    assert [masked(page.text) for page in pages] == [masked(page.text) for page in django]
    assert site.fell_through == 0


async def test_who_lost_their_place_is_told_so_by_the_view(
    site: Site, loop_resources: None, now: Any
):
    event = await run(sites.with_line("paused"), now)
    fan, path = await amake_visitor(), f"/events/{event.pk}/queue/"
    here: Any = {"event_id": event.pk, "person": str(fan.user.pk)}
    await run(queue.join, **here, now=clock.now())
    await site.get(path, cookie=fan.cookie)
    await run(queue.leave, **here, now=clock.now())

    page = await site.get(path, cookie=fan.cookie)

    assert "You left the line" in page.text
    assert site.fell_through == 1


async def test_whoever_is_inside_may_choose_from_a_copy(site: Site, event: Event):
    inside, outside = await amake_visitor("Ann"), await amake_visitor("Ben")
    await run(sites.admit, event, inside.user)
    path = f"/events/{event.pk}/seats/"

    own, django = [await way(path, cookie=inside.cookie) for way in (site.get, site.django)]
    theirs = await site.get(path, cookie=outside.cookie)

    assert "It is your turn." in own.text
    assert masked(own.text) == masked(django.text)
    assert "View only" in theirs.text
    assert site.fell_through == 0


async def test_two_views_of_the_seat_page_have_two_idempotency_keys(site: Site, event: Event):
    inside = await amake_visitor()
    await run(sites.admit, event, inside.user)
    path = f"/events/{event.pk}/seats/"

    keys = [
        set(re.findall(r'name="key" value="([-\w]{16})', page.text))
        for page in [await site.get(path, cookie=inside.cookie) for _ in range(2)]
    ]

    assert [len(one) for one in keys] == [1, 1]
    assert keys[0] != keys[1]


async def test_whoever_holds_seats_sees_them_at_once(site: Site, event: Event):
    fan = await amake_visitor()
    await run(sites.admit, event, fan.user)
    path = f"/events/{event.pk}/seats/"
    before = await site.get(path, cookie=fan.cookie)
    [seat, *_] = await run(seat_ids, event)
    await run(hold, event, fan.user, clock.now(), seat)

    after = await site.get(path, cookie=fan.cookie)

    assert "You hold 1 seat." not in before.text
    assert "You hold 1 seat." in after.text


async def test_owners_are_known_without_a_recent_attempt(
    site: Site, event: Event, monkeypatch: Any
):
    """As for seats from the standby list, or from somebody else."""
    fan = await amake_visitor()
    await run(sites.admit, event, fan.user)
    [seat, *_] = await run(seat_ids, event)
    await run(hold, event, fan.user, clock.now(), seat)

    async def nothing(event_id: int, fan_id: int) -> bool:
        return False

    monkeypatch.setattr("reservations.gate.ahas_attempted", nothing)

    page = await site.get(f"/events/{event.pk}/seats/", cookie=fan.cookie)

    assert "You hold 1 seat." in page.text
    assert site.fell_through == 1


async def test_in_a_draw_by_lot_each_member_sees_their_own_entry(
    site: Site, loop_resources: None, now: Any
):
    event = await run(sites.with_line("lobby"), now)
    fan, other = await amake_visitor(), await amake_visitor()
    path = f"/events/{event.pk}/draw/"

    entries = [
        re.findall(r'id="own-entry">(\w+)<', page.text)
        for page in [await site.get(path, cookie=one.cookie) for one in (fan, other)]
    ]

    assert entries[0] != entries[1]
    assert 'id="own-entry"' not in (await site.get(path)).text


async def test_staff_see_drafts_and_nobody_else_does(site: Site, loop_resources: None, now: Any):
    event = await run(make_event, now, state=Event.State.DRAFT)
    staff = await amake_visitor("Boss", is_staff=True, is_superuser=True)
    fan, path = await amake_visitor(), f"/events/{event.pk}/"

    statuses = [
        (await site.get(path, **headers)).status_code
        for headers in ({}, {"cookie": staff.cookie}, {"cookie": fan.cookie}, {})
    ]

    assert statuses == [404, 200, 404, 404]
    assert "Admin" in (await site.get("/", cookie=staff.cookie)).text


async def test_a_waiting_message_is_shown_once_and_to_one(site: Site, event: Event):
    fan = await amake_visitor("Ann")
    secret = "Your seats have been released."

    def add_message() -> str:
        request = Client().get("/").wsgi_request
        messages.success(request, secret)
        response = HttpResponse()
        request._messages.update(response)
        return response.cookies["messages"].OutputString().partition(";")[0]

    cookie = await run(add_message)

    told = await site.get("/", cookie=f"{fan.cookie}; {cookie}")
    later = [await site.get("/", **headers) for headers in ({}, {"cookie": fan.cookie})]

    assert secret in told.text
    assert all(secret not in page.text for page in later)


async def test_a_session_of_nobody_is_ended_by_django(site: Site, event: Event):
    page = await site.get("/", cookie="sessionid=nosuchsession0000")

    assert page.status_code == 200
    assert 'sessionid=""' in page.headers["set-cookie"]
    assert site.fell_through == 1


@pytest.mark.parametrize("query", ["q=a", "page=2", "part=1", "part=2", "", "x" * 3_000])
async def test_a_query_string_never_meets_the_copy_of_another(site: Site, event: Event, query: str):
    copies = [await site.get("/"), await site.get(f"/events/{event.pk}/queue/")]
    asked = [await site.get(f"{path}?{query}") for path in ("/", f"/events/{event.pk}/queue/")]
    django = [await site.django(f"{path}?{query}") for path in ("/", f"/events/{event.pk}/queue/")]

    assert [masked(page.text) for page in asked] == [masked(page.text) for page in django]
    assert copies[0].status_code == 200


# -- no private bytes ------------------------------------------------------------------------------

# Longer than what a random form token may spell.
HOSTILE: list[dict[str, Any]] = [
    {},
    {"method": "HEAD"},
    {"range": "bytes=0-99"},
    {"host": "localhost", "x_forwarded_host": "evil-site.example"},
    {
        "x_forwarded_for": "6.6.6.6",
        "x_forwarded_proto": "https",
        "forwarded": "host=evil-site.example",
    },
    {"x_forwarded_prefix": "/evil-site", "x_original_url": "/admin/", "x_rewrite_url": "/admin/"},
    {"accept_language": "evil-site"},
    {"accept_language": "ko;q=0.1,en;q=0.2,<script>"},
    {"accept_encoding": "gzip;q=0, evil-site"},
    {"accept_encoding": "br, GZIP, identity"},
    {"authorization": "Bearer tk_evil-site"},
    {"authorization": "Basic YTpi"},
    {"referer": "http://evil-site.example/", "origin": "http://evil-site.example"},
    {"if_none_match": '*, W/"evil-site"'},
    {"user_agent": "evil-site", "from": "evil-site", "via": "evil-site"},
]
TOKEN = re.compile(r'csrfmiddlewaretoken\\?" value=\\?"(\w{64})')
COOKIES = (
    "csrftoken=" + "e" * 32,
    "csrftoken=evil-site",
    "django_language=ko",
    "django_language=evil-site",
)


@pytest.mark.parametrize("path", PATHS)
async def test_nothing_of_one_request_is_in_the_answer_to_another(
    site: Site, event: Event, path: str
):
    """Two members and a stranger ask with hostile headers, in turns and at once, for long enough
    that copies are rendered in between."""
    people = {name: await amake_visitor(name) for name in ("Private-Ann", "Private-Ben")}
    path = path.format(pk=event.pk)
    asked = []
    for hostile in HOSTILE:
        for cookie in ("", *COOKIES):
            for name, person in {"": None, **people}.items():
                own = "; ".join(filter(None, [person.cookie if person else "", cookie]))
                asked.append((name, hostile | {"cookie": own or None}))

    pages = []
    for start in range(0, len(asked), 45):
        part = asked[start : start + 45]
        answers = await asyncio.gather(*(site.get(path, **headers) for _, headers in part))
        pages += [(name, page) for (name, _), page in zip(part, answers, strict=True)]
        site.copies._kept.clear()

    assert {page.status_code for _, page in pages} == {200}
    assert [name for name, page in pages if "evil-site" in page.text + str(page.headers)] == []
    assert [name for name, page in pages if {p for p in people if p in page.text} - {name}] == []
    assert [page for name, page in pages if not name and "csrfmiddlewaretoken" in page.text] == []
    tokens = [set(TOKEN.findall(page.text)) for _, page in pages]
    assert len(set().union(*tokens)) == sum(map(len, tokens)), "a form token was given twice"
    assert [text for text in await all_shared() if "Private" in text or TOKEN.search(text)] == []


async def all_shared() -> list[str]:
    from ticketing.core import redis

    keys = await run(redis.client().keys, "page:*:copy")
    return [await run(redis.client().get, key) for key in keys]


async def test_what_people_write_can_not_become_a_mark(site: Site, loop_resources: None, now: Any):
    """An event's title with the text of a mark is shown as it is; a name is escaped."""
    event = await run(make_event, now, title_en="0123456789abcdef-name- <i>")
    fan = await amake_visitor('<script>"x"</script>')

    page = await site.get(f"/events/{event.pk}/", cookie=fan.cookie)

    assert "0123456789abcdef-name- &lt;i&gt;" in page.text
    assert "<script>&quot;" not in page.text
    assert "&lt;script&gt;&quot;x&quot;&lt;/script&gt;" in page.text


async def test_a_page_with_a_cookie_or_a_mark_for_strangers_is_never_kept(event: Event):
    def with_cookie(request: Any) -> HttpResponse:
        response = HttpResponse("page")
        response.set_cookie("sessionid", "secret")
        return response

    def with_token(request: Any) -> HttpResponse:
        return HttpResponse(request.marks.mark("csrf"))

    for view in (with_cookie, with_token):
        site = Site(view)
        page = await site.get("/")
        assert site.fell_through == 1
        assert "secret" not in page.text
        assert site.copies._kept == {}
    assert await all_shared() == []


# -- forms -----------------------------------------------------------------------------------------


async def test_the_form_token_in_a_copy_is_accepted(site: Site, event: Event):
    fan = await amake_visitor()
    page = await site.get("/", cookie=fan.cookie)
    [token] = set(re.findall(r'csrfmiddlewaretoken" value="(\w+)"', page.text))
    cookie = page.headers["set-cookie"].partition(";")[0]

    def log_out(token: str) -> int:
        client = Client(enforce_csrf_checks=True, headers={"cookie": f"{fan.cookie}; {cookie}"})
        body = {"csrfmiddlewaretoken": token}
        return client.post("/accounts/log-out/", body).status_code

    assert await run(log_out, "a" * 64) == 403
    assert await run(log_out, token) == 302


async def test_a_browsers_own_form_secret_is_kept(site: Site, event: Event):
    fan, secret = await amake_visitor(), "s3cret" * 5 + "ab"

    page = await site.get("/", cookie=f"{fan.cookie}; csrftoken={secret}")

    assert f"csrftoken={secret};" in page.headers["set-cookie"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://testserver"}, 302),
        ({"referer": "http://testserver/events/1/"}, 302),
        ({"sec-fetch-site": "same-origin"}, 302),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({}, 403),
    ],
)
def test_only_our_own_pages_switch_the_language(headers: Any, status: int, db: None):
    client = Client(enforce_csrf_checks=True)

    response = client.post("/i18n/setlang/", {"language": "ko", "next": "/"}, headers=headers)

    assert response.status_code == status
    assert ("django_language" in response.cookies) == (status == 302)


# -- validators and compression --------------------------------------------------------------------


async def test_an_unchanged_page_is_not_sent_again(site: Site, event: Event):
    first = await site.get("/")
    again = await site.get("/", if_none_match=first.headers["etag"])
    other = await site.get("/", if_none_match=first.headers["etag"], accept_language="ko")
    plain = await site.get("/", if_none_match=first.headers["etag"], accept_encoding="identity")
    fan = await amake_visitor()
    own = await site.get("/", if_none_match=first.headers["etag"], cookie=fan.cookie)

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert {"vary", "cache-control", "content-security-policy"} <= {*again.headers}
    assert [page.status_code for page in (other, plain, own)] == [200] * 3
    assert "etag" not in own.headers


async def test_every_browser_can_unpack_what_it_gets(site: Site, event: Event):
    fan = await amake_visitor("Ann" * 10)
    for headers in ({}, {"cookie": fan.cookie}):
        packed = await site.get("/", **headers)
        plain = await site.get("/", accept_encoding="identity", **headers)
        raw = [chunk async for chunk in _raw(site, headers)]
        assert masked(gzip.decompress(b"".join(raw)).decode()) == masked(plain.text)
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers


async def _raw(site: Site, headers: dict[str, Any]) -> Any:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    pairs = [(b"host", b"testserver"), (b"accept-encoding", b"gzip"), (b"accept-language", b"en")]
    pairs += [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "scheme": "http"}
    await site.application(scope | {"headers": pairs}, receive, send)
    for message in sent[1:]:
        yield message["body"]


# -- how old, how often ----------------------------------------------------------------------------


async def test_a_crowd_is_answered_with_one_render(site: Site, event: Event):
    pages = await asyncio.gather(*(site.get(f"/events/{event.pk}/") for _ in range(200)))

    assert {page.status_code for page in pages} == {200}
    assert (len(site.renders), site.fell_through) == (1, 0)


async def test_control_without_single_flight_a_crowd_renders_often(site: Site, event: Event):
    class Forgetful(dict[Any, Any]):
        def get(self, *args: Any) -> None:
            return None

    site.copies._renewals = Forgetful()
    site.copies._redis_silent_until = float("inf")  # no lock either

    await asyncio.gather(*(site.get(f"/events/{event.pk}/") for _ in range(5)))

    assert len(site.renders) > 1


async def test_several_processes_render_once(event: Event, monkeypatch: Any):
    """However long the busy machine takes for the render and for Redis."""
    for name in ("REDIS_SECONDS", "RENEWAL_SHARE", "PATIENCE_SECONDS", "STALE_SECONDS"):
        monkeypatch.setattr(page_copies, name, 60)
    monkeypatch.setattr(store, "LOCK_MS", 60_000)
    processes = [Site() for _ in range(4)]

    pages = await asyncio.gather(
        *(site.get(f"/events/{event.pk}/") for site in processes for _ in range(20))
    )

    assert {page.status_code for page in pages} == {200}
    assert sum(len(site.renders) for site in processes) == 1
    assert len({page.text for page in pages}) == 1


async def test_a_copy_that_comes_between_the_look_and_the_lock_is_used(
    event: Event, monkeypatch: Any
):
    monkeypatch.setattr(page_copies, "REDIS_SECONDS", 60)
    faster, slower, acquire, asked = Site(), Site(), store.acquire_render_lock, []

    async def overtaken(key: str) -> bool:
        asked.append(key)
        if len(asked) == 1:
            await faster.get(f"/events/{event.pk}/")
        return await acquire(key)

    monkeypatch.setattr(store, "acquire_render_lock", overtaken)

    page = await slower.get(f"/events/{event.pk}/")

    assert page.status_code == 200
    assert (len(faster.renders), len(slower.renders)) == (1, 0)


async def test_control_without_the_lock_several_processes_render(event: Event, monkeypatch: Any):
    """The renders wait for one another, so that none finds the copy of another."""
    together = threading.Barrier(2, timeout=60)

    def waiting(request: Any) -> Any:
        together.wait()
        return asgi.wsgi.get_response(request)

    async def always(key: str) -> bool:
        return True

    monkeypatch.setattr(store, "acquire_render_lock", always)
    monkeypatch.setattr(page_copies, "PATIENCE_SECONDS", 30)
    processes = [Site(waiting) for _ in range(2)]

    await asyncio.gather(*(site.get(f"/events/{event.pk}/") for site in processes))

    assert [len(site.renders) for site in processes] == [1, 1]


async def test_a_process_that_died_while_rendering_delays_others_for_a_moment(
    event: Event, monkeypatch: Any
):
    monkeypatch.setattr(store, "LOCK_MS", 100)
    variant = page_copies.Variant(f"/events/{event.pk}/", "", "", "en", False)
    assert await store.acquire_render_lock(variant.key)
    site = Site()

    page = await site.get(f"/events/{event.pk}/")

    assert (page.status_code, len(site.renders), site.fell_through) == (200, 1, 0)


async def test_an_operators_change_shows_within_a_second(
    site: Site, event: Event, monkeypatch: Any
):
    before = await site.get(f"/events/{event.pk}/")
    await run(Event.objects.filter(pk=event.pk).update, title_en="Changed")
    began = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: began + 1.0)
    await forget_shared()

    after = await site.get(f"/events/{event.pk}/")

    assert "Changed" not in before.text
    assert "Changed" in after.text


async def test_a_withdrawn_waiting_page_and_its_colours_are_gone_within_a_second(
    site: Site, loop_resources: None, now: Any, monkeypatch: Any
):
    event = await run(sites.with_own_page, now)
    paths = [f"/events/{event.pk}/queue/", f"/events/{event.pk}/queue/colours.css"]
    before = [(await site.get(path)).text for path in paths]
    await run(queue.withdraw_page, event_id=event.pk, by=None, now=now)
    began = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: began + 1.0)
    await forget_shared()

    after = [(await site.get(path)).text for path in paths]

    assert ("Welcome" in before[0], "#c4b5fd" in before[1]) == (True, True)
    assert ("Welcome" in after[0], after[1]) == (False, "")
    assert site.fell_through == 0


async def forget_shared() -> None:
    """As a second makes the copies of other processes too old."""
    from ticketing.core import redis

    for key in await run(redis.client().keys, "page:*:copy"):
        await run(redis.client().delete, key)


async def test_a_copy_of_another_process_is_used_only_while_it_is_fresh(
    event: Event, monkeypatch: Any
):
    path = f"/events/{event.pk}/"
    await Site().get(path)
    await run(Event.objects.filter(pk=event.pk).update, title_en="Changed")
    young, old = Site(), Site()
    await young.get(path)

    async def aged(key: str, *, keep_seconds: float) -> Any:
        found = await shared_copy(key, keep_seconds=keep_seconds)
        return found and (found[0], found[1] + 1)

    shared_copy = store.shared_copy
    monkeypatch.setattr(store, "shared_copy", aged)
    page = await old.get(path)

    assert (len(young.renders), len(old.renders)) == (0, 1)
    assert "Changed" in page.text


class Broken:
    """Django with a database that can be taken away."""

    def __init__(self) -> None:
        self.is_down = False

    def __call__(self, request: Any) -> Any:
        return HttpResponse("down", status=503) if self.is_down else asgi.wsgi.get_response(request)


async def test_the_last_copy_bridges_a_few_seconds_without_a_database(
    event: Event, monkeypatch: Any
):
    broken, path, began = Broken(), f"/events/{event.pk}/", clock.monotonic()
    site = Site(broken)
    await site.get(path)
    await forget_shared()
    broken.is_down = True
    statuses = {}
    for seconds in (1.1, 1.2, 5.5, 7.0):
        monkeypatch.setattr(clock, "monotonic", lambda seconds=seconds: began + seconds)
        pages = await asyncio.gather(*(site.get(path) for _ in range(20)))
        statuses[seconds] = {page.status_code for page in pages}, len(site.renders)

    assert statuses == {1.1: ({200}, 2), 1.2: ({200}, 2), 5.5: ({200}, 3), 7.0: ({503}, 4)}
    assert site.fell_through == 0


async def test_a_slow_render_is_not_waited_for_if_there_is_a_copy(event: Event, monkeypatch: Any):
    go_on, path = threading.Event(), f"/events/{event.pk}/"
    is_slow = False

    def slow(request: Any) -> Any:
        if is_slow:
            go_on.wait(60)
        return asgi.wsgi.get_response(request)

    site = Site(slow)
    await site.get(path)
    await forget_shared()
    is_slow, later = True, clock.monotonic() + 1.1
    monkeypatch.setattr(clock, "monotonic", lambda: later)
    monkeypatch.setattr(page_copies, "PATIENCE_SECONDS", 0.01)
    try:
        pages = await asyncio.gather(*(site.get(path) for _ in range(20)))
    finally:
        go_on.set()

    await asyncio.gather(*site.copies._renewals.values())
    assert {page.status_code for page in pages} == {200}
    assert (len(site.renders), site.fell_through) == (2, 0)


async def test_pages_work_without_redis(site: Site, event: Event, monkeypatch: Any):
    """Each process then renders for itself."""

    async def down(*args: Any, **kwargs: Any) -> Any:
        raise RedisDown

    def sync_down(*args: Any, **kwargs: Any) -> Any:
        raise RedisDown

    for name in ("shared_copy", "acquire_render_lock"):
        monkeypatch.setattr(store, name, down)
    monkeypatch.setattr(store, "share_copy", sync_down)

    pages = await asyncio.gather(*(site.get(f"/events/{event.pk}/") for _ in range(20)))

    assert {page.status_code for page in pages} == {200}
    assert (len(site.renders), site.fell_through) == (1, 0)


async def test_pages_do_not_wait_for_a_silent_redis(site: Site, event: Event, monkeypatch: Any):
    async def silent(*args: Any, **kwargs: Any) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(store, "shared_copy", silent)
    monkeypatch.setattr(page_copies, "REDIS_SECONDS", 0.01)

    page = await site.get(f"/events/{event.pk}/")
    monkeypatch.setattr(page_copies, "REDIS_SECONDS", None)  # a second look would never end
    other = await site.get("/")

    assert (page.status_code, other.status_code, site.fell_through) == (200, 200, 0)


async def test_memory_is_bounded(site: Site, event: Event, monkeypatch: Any):
    monkeypatch.setattr(page_copies, "MAX_COPIES", 3)
    for number in range(10):
        await site.get(f"/events/{number}/poster.svg")

    assert len(site.copies._kept) == 3


async def test_an_error_is_a_page_for_people_and_json_for_programs(site: Site, event: Event):
    page = await site.get("/events/999999/")
    program = await site.get("/events/999999/", accept="application/json")

    assert "text/html" in page.headers["content-type"]
    assert program.json()["code"] == "not_found"
    assert (page.status_code, program.status_code) == (404, 404)


async def test_a_failing_view_is_reported_as_django_does(event: Event):
    def fails(request: Any) -> Any:
        raise OperationalError("no database")

    site = Site(fails)

    page = await site.get(f"/events/{event.pk}/")

    assert (page.status_code, site.fell_through) == (200, 1)


def test_control_the_clock_of_these_tests_is_the_copies():
    assert page_copies.clock is clock
    assert timedelta(seconds=page_copies.STALE_SECONDS) < timedelta(seconds=10)
