"""Every role at every socket, and every origin: all sockets ask for the same."""

from datetime import timedelta

import pytest
from asgiref.testing import ApplicationCommunicator

from tests.architecture.test_permissions import ALL_ROLES, SOCKETS, person
from tests.making import make_event, make_user
from tests.waiting_queue.api.conftest import logged_in
from ticketing import asgi
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESSES = {
    "ws/console/": "ws/console/",
    "": "ws/nothing/",
} | {
    pattern: pattern.strip("^$")
    .replace("(?P<event_id>[0-9]{1,18})", "987654")
    .replace("(?P<number>[-a-zA-Z0-9_]{1,40})", "nothing")
    for pattern in SOCKETS
    if pattern.startswith("^")
}
REFUSED = (4401, 4403)
OWN = "http://localhost:8000"
FOREIGN = {
    "another host": "http://evil.example",
    "another port": "http://localhost:9000",
    "another scheme": "https://localhost:8000",
    "a longer name": "http://localhost.evil.example:8000",
    "nothing": None,
    "null": "null",
}


async def code_of(path: str, session: str = "", origin: str | None = OWN) -> int:
    """With which the server closes the socket; 0 if it is refused before it opens."""
    headers = [(b"host", b"localhost:8000")]
    headers += [(b"cookie", f"sessionid={session}".encode())] if session else []
    headers += [(b"origin", origin.encode())] if origin else []
    path, _, query = path.partition("?")
    scope = {"type": "websocket", "scheme": "ws", "path": f"/{path}"}
    scope |= {"query_string": query.encode()}
    scope |= {"headers": headers, "client": ("192.0.2.1", 1), "subprotocols": []}
    socket = ApplicationCommunicator(asgi.application, scope)
    await socket.send_input({"type": "websocket.connect"})
    if (await socket.receive_output(60))["type"] == "websocket.close":
        return 0
    while (message := await socket.receive_output(60))["type"] != "websocket.close":
        if '"type": "error"' not in message["text"]:
            await socket.send_input({"type": "websocket.disconnect", "code": 1000})
            await socket.wait(60)
            return 1000
    return message["code"]


@pytest.mark.parametrize("role", ALL_ROLES)
async def test_sockets_are_for_those_of_the_table(role, sessions, loop_resources):
    codes = {
        pattern: await code_of(ADDRESSES[pattern], sessions[role]) for pattern in SOCKETS if pattern
    }

    wrong = {
        pattern: code
        for pattern, code in codes.items()
        if (code in REFUSED) is (role in SOCKETS[pattern])
    }
    assert wrong == {}


@pytest.mark.parametrize("origin", FOREIGN)
async def test_all_sockets_refuse_other_origins(origin, loop_resources):
    codes = {path: await code_of(path, origin=FOREIGN[origin]) for path in ADDRESSES.values()}

    assert codes == dict.fromkeys(ADDRESSES.values(), 0)


@pytest.mark.parametrize(
    "query",
    [f"since={'9' * 5_000}", "since=%00", f"join=1&turn={'9' * 5_000}", "join=1&turn=%C2%B2&%ff"],
)
async def test_no_socket_breaks_by_its_query(query, boss, sale, loop_resources):
    paths = [path.replace("987654", str(sale.pk)) for path in ADDRESSES.values()]
    codes = {path: await code_of(f"{path}?{query}", boss) for path in paths}

    assert 4500 not in codes.values(), codes


async def test_control_our_own_origin_is_asked_who_it_is(loop_resources):
    assert 0 not in [await code_of(path) for path in ADDRESSES.values()]


@pytest.fixture
def boss(transactional_db):
    """Who may open all of them."""
    return logged_in(make_user(password=None, is_staff=True, is_superuser=True))


@pytest.fixture
def sale(transactional_db, now):
    return SaleQueue.objects.create(event=make_event(now), opens_at=now + timedelta(hours=1))


@pytest.fixture
def sessions(transactional_db):
    people = {role: person(role) for role in ALL_ROLES}
    return {role: logged_in(user) if user.pk else "" for role, user in people.items()}
