"""Lines name the ids of their work and the offset of their time; the access log can be off."""

import asyncio
import io
import json
import logging
import re
import threading
from collections.abc import Iterator

import pytest

from ticketing.core import event_loop
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.logs.access import AccessLog
from ticketing.core.logs.context import carried, current_ids, enter_request, log_ids
from ticketing.core.logs.formats import JsonFormatter, PlainFormatter
from ticketing.core.management.commands.serve import Server, server_config

OFFSET_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d")
PROXYS = "0123456789abcdef0123456789abcdef"


def scope_of(path: str, **headers: str) -> dict:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "GET", "path": path, "headers": raw}


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    root.handlers, root.level = [*before, handler], logging.INFO
    yield written
    root.handlers, root.level = before, level


@pytest.mark.asyncio
async def test_a_line_of_a_request_names_what_it_is_about():
    enter_request(scope_of("/api/v1/events/7/queue/", x_request_id=PROXYS))

    assert current_ids() == {"request": PROXYS, "event": "7"}
    with log_ids(reservation=3, payment=4):
        assert current_ids() == {
            "request": PROXYS,
            "event": "7",
            "reservation": "3",
            "payment": "4",
        }


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "sent", ["", "short", 'x"\n{injected}', "a" * 65, "token-of-somebody-else"]
)
async def test_without_a_usable_id_of_the_proxy_one_is_made_and_kept(sent):
    enter_request(scope_of("/", x_request_id=sent))

    made = current_ids()["request"]

    assert re.fullmatch("[0-9a-f]{32}", made)
    assert current_ids()["request"] == made


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_ids_go_along_to_threads_and_background_work_and_end_with_it():
    enter_request(scope_of("/payments/20261117-000123/return/", x_request_id=PROXYS))
    event_loop.adopt_running_loop()
    heard: asyncio.Future = asyncio.get_running_loop().create_future()

    async def background() -> None:
        heard.set_result(current_ids())

    with log_ids(task="t"):
        in_a_thread = await in_thread(current_ids)
        event_loop.start(background())

    assert in_a_thread == current_ids() | {"task": "t"}
    assert await asyncio.wait_for(heard, 20) == in_a_thread
    assert in_a_thread["payment"] == "20261117-000123"


def test_a_thread_forgets_the_ids_of_work_that_it_has_done():
    with log_ids(payment=1):
        work = carried(current_ids)
    seen: list[dict] = []

    thread = threading.Thread(target=lambda: seen.extend([work(), current_ids()]))
    thread.start()
    thread.join()

    assert seen == [{"payment": "1"}, {}]


def test_a_json_line_has_its_ids_and_the_offset_of_its_time(lines):
    with log_ids(event=7, task="abc"):
        logging.getLogger("x").warning("said\nin two lines")

    (line,) = lines.getvalue().splitlines()
    entry = json.loads(line)
    assert OFFSET_TIME.fullmatch(entry["time"])
    assert entry["message"] == "said\nin two lines"
    assert (entry["level"], entry["event"], entry["task"]) == ("WARNING", "7", "abc")


def test_a_plain_line_has_them_at_its_end():
    record = logging.LogRecord("x", logging.WARNING, "x.py", 1, "said", (), None)
    formatter = PlainFormatter("%(levelname)-7s %(name)s  %(message)s")

    with log_ids(event=7):
        line = formatter.format(record)

    time, rest = line.split(" ", 1)
    assert OFFSET_TIME.fullmatch(time)
    assert rest == "WARNING x  said  [event=7]"


@pytest.mark.asyncio
async def test_the_access_log_has_the_time_and_neither_query_nor_secret(lines):
    async def application(scope, receive, send):
        enter_request(scope)
        await send({"type": "http.response.start", "status": 418, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        pass

    scope = scope_of("/events/7/tk_9aZ2fK3uPq7hLm4Xs/") | {"query_string": b"email=ann@example.com"}
    await AccessLog(application)(scope, None, send)

    entry = json.loads(lines.getvalue())
    assert (entry["method"], entry["status"], entry["event"]) == ("GET", 418, "7")
    assert entry["ms"] >= 0
    assert "request" in entry
    assert "9aZ2" not in lines.getvalue()
    assert "ann" not in lines.getvalue()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("setting", "level", "is_on"),
    [(True, "INFO", True), (False, "INFO", False), (True, "WARNING", False)],
)
async def test_an_access_log_that_writes_nothing_is_not_on_the_way(
    settings, caplog, setting, level, is_on
):
    settings.ACCESS_LOG, settings.PORT = setting, 0
    caplog.set_level(level, "ticketing.access")
    server = Server(server_config("bench.baselines:hello"))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    application = server.config.loaded_app

    await server.startup()
    try:
        assert isinstance(server.config.loaded_app, AccessLog) is is_on
        assert is_on or server.config.loaded_app is application
        assert server.config.access_log is False
    finally:
        await server.shutdown()
