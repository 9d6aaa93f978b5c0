"""Turnstile and hCaptcha, in the place of our own proof of work."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from ticketing.core import challenge_providers, event_loop
from ticketing.core.challenge_providers import (
    PROVIDERS,
    Provider,
    ProviderCheck,
    ProviderSilent,
    check_with,
    current_provider,
    solved_by_provider,
)
from ticketing.core.challenges import BadSolution


@pytest.fixture
async def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    """A service that accepts `good` and breaks at `broken`."""

    async def verify(request: web.Request) -> web.Response:
        fields = await request.post()
        assert fields["secret"] == "the secret"
        if fields["response"] == "broken":
            return web.Response(text="<html>")
        return web.json_response({"success": fields["response"] == "good"})

    application = web.Application()
    application.router.add_post("/verify", verify)
    server = TestServer(application)
    await server.start_server()
    settings.CHALLENGE, settings.CHALLENGE_SECRET = "turnstile", "the secret"
    found = Provider("turnstile", str(server.make_url("/verify")), "")
    monkeypatch.setitem(PROVIDERS, "turnstile", found)
    monkeypatch.setattr(challenge_providers, "_silent_until", 0.0)
    yield found
    await event_loop.end()
    await server.close()


async def test_the_provider_says_whether_it_was_solved(provider):
    solved = await check_with(provider, "provider:good", level=5)

    assert (solved.kind, solved.level) == ("turnstile", 5)
    for wrong in ("provider:bad", "provider:", f"provider:{'x' * 5_000}"):
        with pytest.raises(BadSolution):
            await check_with(provider, wrong, level=5)


async def test_one_token_has_one_name(provider):
    first, second = [await check_with(provider, "provider:good", level=5) for _ in range(2)]

    assert first.once == second.once  # so that it is accepted once


async def test_while_it_does_not_answer_our_own_challenge_takes_its_place(provider):
    assert current_provider() is provider

    with pytest.raises(ProviderSilent):
        await check_with(provider, "provider:broken", level=5)

    assert current_provider() is None


@pytest.mark.parametrize(
    ("path", "header", "body", "kind"),
    [
        ("/events/7/queue/", b"", b"lane=&solution=provider%3Agood", "turnstile"),
        ("/events/7/queue/party/ABCDE/", b"", b"solution=provider%3Agood", "turnstile"),
        ("/api/v1/events/7/queue/lanes/join/", b"provider:good", b"{}", "turnstile"),
        ("/events/7/queue/", b"", b"solution=provider%3Abad", None),
        ("/events/7/queue/", b"", b"solution=provider%3Abroken", None),
        ("/events/7/queue/", b"", b"solution=ch_x.y", None),
        ("/accounts/login/", b"", b"solution=provider%3Agood", None),
    ],
)
async def test_a_form_is_checked_before_it_gets_a_thread(provider, path, header, body, kind):
    """The thread, which has the context of its request, finds the answer there."""
    seen = []

    async def page(scope: Any, receive: Any, send: Any) -> None:
        solved = await asyncio.to_thread(solved_by_provider)
        seen.append((solved and solved.kind, (await receive())["body"]))

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    headers = [(b"challenge-solution", header)] if header else []
    scope = {"method": "POST", "path": path, "headers": headers}
    await asyncio.create_task(ProviderCheck(page)(scope, receive, None))

    assert seen == [(kind, body)]
    assert solved_by_provider() is None  # of no other request


def test_without_one_there_is_none(settings):
    settings.CHALLENGE = "proof_of_work"

    assert current_provider() is None
