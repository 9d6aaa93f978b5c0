"""The client of the rehearsal API retries: servers are killed while it calls them."""

import pytest
from aiohttp import web

from ticketing.rehearsal.simulator import site
from ticketing.rehearsal.simulator.site import SiteClient, SiteRefused, SiteUnreachable


class Server:
    """Gives the failures that it is told to, then correct answers."""

    def __init__(self):
        self.failures, self.calls, self.state = [], [], "lobby"

    async def answer(self, request):
        path, body = request.path.removeprefix("/api/v1/rehearsals/"), None
        if request.can_read_body:
            body = await request.json()
        self.calls.append((request.method, path, body))
        if self.failures:
            return self.failures.pop(0)(request)
        return web.json_response(self.correct_body(request, path, body))

    def correct_body(self, request, path, body):
        match path.rpartition("abc/")[2]:
            case "people/":
                numbers = range(body["first"], body["first"] + body["count"])
                return {"people": [{"number": n} for n in numbers]}
            case "journal/":
                after = int(request.query["after"])
                return {"entries": [{"id": after + 1}, {"id": after + 2}], "more": after < 4}
            case "snapshot/" | "moves/":
                return {"state": self.state}
            case "books/":
                return {"payments": [], "seats": [[1, None]]}
            case "facts/":
                return {"settled": True}
        return {"code": "abc", "left_behind": {"redis": 0}}


def refuse(status, code="no"):
    return lambda request: web.json_response({"code": code, "message": "No."}, status=status)


def cut(request):
    request.transport.abort()
    return web.Response()


@pytest.fixture
async def server():
    return Server()


@pytest.fixture
async def client(server, monkeypatch):
    monkeypatch.setattr(site, "FIRST_DELAY", 0.01)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    async with SiteClient(f"http://127.0.0.1:{port}", "tk_x", retry_seconds=5) as it:
        it.code = "abc"
        yield it
    await runner.cleanup()


@pytest.mark.parametrize("failures", [cut, refuse(503), refuse(500), refuse(502)])
async def test_a_call_is_retried_during_an_outage(server, client, failures):
    server.failures = [failures, failures]

    assert (await client.facts())["settled"] is True
    assert len(server.calls) == 3


async def test_people_are_made_in_small_numbers_with_rests(server, client):
    people = await client.make_people(5, per_call=2, rest=0.1)

    assert [person["number"] for person in people] == [0, 1, 2, 3, 4]
    assert [body["count"] for _, _, body in server.calls] == [2, 2, 1]


async def test_a_refusal_is_final(server, client):
    server.failures = [refuse(404, "no_rehearsal")]

    with pytest.raises(SiteRefused) as no:
        await client.facts()
    assert (no.value.status, no.value.code, len(server.calls)) == (404, "no_rehearsal", 1)


async def test_it_does_not_retry_for_ever(server, client):
    server.failures, client.retry_seconds = [refuse(503)] * 99, 0.5

    with pytest.raises(SiteUnreachable):
        await client.facts()


async def test_the_start_of_a_rehearsal_is_not_repeated_after_a_lost_answer(server, client):
    server.failures = [cut]

    with pytest.raises(SiteUnreachable):
        await client.create({"event": 7})
    assert len(server.calls) == 1


async def test_a_conflict_after_a_lost_answer_means_that_the_move_was_made(server, client):
    server.failures, server.state = [cut, refuse(409, "illegal_move")], "open"

    assert await client.move("open") == "open"


async def test_control_a_move_that_is_not_possible_is_refused(server, client):
    server.failures, server.state = [refuse(409, "illegal_move")], "closed"

    with pytest.raises(SiteRefused):
        await client.move("open")


async def test_people_are_made_in_parts_and_the_journal_is_read_to_its_end(server, client):
    assert [one["number"] for one in await client.make_people(1_203)] == [*range(1_203)]
    assert [line["id"] for line in await client.journal()] == [1, 2, 3, 4, 5, 6]


async def test_a_snapshot_is_not_retried(server, client):
    server.failures = [cut] * 9

    with pytest.raises(SiteUnreachable):
        await client.snapshot()

    assert len(server.failures) >= 7  # aiohttp itself asks once more on a new connection
