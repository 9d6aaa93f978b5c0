"""The director insists: servers are killed while it talks to them."""

import asyncio

import pytest
from aiohttp import web

from ticketing.rehearsal.simulator.site import Stage, StageRefused, StageSilent


class Site:
    """Answers as it is told, then as it should."""

    def __init__(self):
        self.trouble, self.calls, self.state = [], [], "lobby"

    async def answer(self, request):
        path, body = request.path.removeprefix("/api/v1/rehearsals/"), None
        if request.can_read_body:
            body = await request.json()
        self.calls.append((request.method, path, body))
        if self.trouble:
            return self.trouble.pop(0)(request)
        return web.json_response(self.sense(request, path, body))

    def sense(self, request, path, body):
        match path.rpartition("abc/")[2]:
            case "people/":
                numbers = range(body["first"], body["first"] + body["count"])
                return {"people": [{"number": n} for n in numbers]}
            case "journal/":
                after = int(request.query["after"])
                return {"entries": [{"id": after + 1}, {"id": after + 2}], "more": after < 4}
            case "pulse/" | "moves/":
                return {"state": self.state}
            case "facts/":
                return {"settled": True}
        return {"code": "abc", "left_behind": {"redis": 0}}


def refuse(status, code="no"):
    return lambda request: web.json_response({"code": code, "message": "No."}, status=status)


def cut(request):
    request.transport.abort()
    return web.Response()


@pytest.fixture
async def site():
    return Site()


@pytest.fixture
async def stage(site):
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    async with Stage(f"http://127.0.0.1:{port}", "tk_x", insists=5) as it:
        it.code = "abc"
        yield it
    await runner.cleanup()


@pytest.mark.parametrize("trouble", [cut, refuse(503), refuse(500), refuse(502)])
async def test_an_outage_is_sat_out(site, stage, trouble):
    site.trouble = [trouble, trouble]

    assert (await stage.facts())["settled"] is True
    assert len(site.calls) == 3


async def test_a_refusal_is_final(site, stage):
    site.trouble = [refuse(404, "no_rehearsal")]

    with pytest.raises(StageRefused) as no:
        await stage.facts()
    assert (no.value.status, no.value.code, len(site.calls)) == (404, "no_rehearsal", 1)


async def test_it_does_not_insist_for_ever(site, stage):
    site.trouble, stage.insists = [refuse(503)] * 99, 0.5

    with pytest.raises(StageSilent):
        await stage.facts()


async def test_a_rehearsal_is_not_made_twice_for_want_of_an_answer(site, stage):
    site.trouble = [cut]

    with pytest.raises(StageSilent):
        await stage.create({"event": 7})
    assert len(site.calls) == 1


async def test_a_move_whose_answer_was_lost_is_done(site, stage):
    site.trouble, site.state = [cut, refuse(409, "illegal_move")], "open"

    assert await stage.move("open") == "open"


async def test_control_a_move_that_is_not_possible_is_refused(site, stage):
    site.trouble, site.state = [refuse(409, "illegal_move")], "closed"

    with pytest.raises(StageRefused):
        await stage.move("open")


async def test_people_are_made_in_parts_and_the_journal_is_read_to_its_end(site, stage):
    assert [one["number"] for one in await stage.people(1_203)] == [*range(1_203)]
    assert [line["id"] for line in await stage.journal()] == [1, 2, 3, 4, 5, 6]


async def test_who_never_answers_is_not_waited_for_by_a_sample(site, stage):
    site.trouble = [cut] * 9

    with pytest.raises(StageSilent):
        await asyncio.wait_for(stage.pulse(), 2)
