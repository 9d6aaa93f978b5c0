"""A rehearsal beside people has a web process of its own: in production mode, on this worker's
database, for a site whose address leads nowhere."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.test import Client

from tests import forks
from tests.waiting import wait_until
from ticketing.accounts.models import User
from ticketing.console.selectors import processes
from ticketing.core import clock
from ticketing.events.models import Event
from ticketing.rehearsal import services
from ticketing.rehearsal.management.commands.rehearse import Command
from ticketing.rehearsal.services.runner_process import GENTLE_NICENESS
from ticketing.rehearsal.simulator.history import steady_time
from ticketing.rehearsal.simulator.runner import Options, rehearse
from ticketing.rehearsal.simulator.site import SiteClient
from ticketing.rehearsal.simulator.users.http_client import UserHttpClient
from ticketing.rehearsal.simulator.users.user_socket import SocketRefused
from ticketing.rehearsal.web_process import WebProcess

pytestmark = pytest.mark.django_db(transaction=True)
HOST = "tickets.invalid"
URL = f"https://{HOST}"
PRODUCTION = {
    "DEVELOPMENT": "0",
    "PAYMENTS_SANDBOX": "0",
    "STAFF_TWO_FACTOR": "off",
    "ALLOWED_HOSTS": HOST,
}
# Stands in for the site, as its `serve` does at the beginning: it answers that it is alive.
FAKE_SITE = """
import socket, sys
listener = socket.socket(fileno=int(sys.argv[-1]))
while True:
    connection, _ = listener.accept()
    connection.recv(1000)
    connection.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
    connection.close()
"""


@pytest.fixture(scope="module")
def web(django_db_setup: None) -> Iterator[WebProcess]:
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:  # not for what other tests start
            for name, value in PRODUCTION.items():
                patch.setenv(name, value)
            web = stack.enter_context(WebProcess.started(Path(settings.BASE_DIR)))
        yield web


def ask(web: WebProcess, path: str, **headers: str) -> httpx.Response:
    transport = httpx.HTTPTransport(uds=str(web.socket))
    with httpx.Client(transport=transport, base_url=f"http://{HOST}", timeout=60) as client:
        return client.get(path, headers=headers)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-forwarded-proto": "https"}, 200),
        ({"x-forwarded-proto": "https", "host": "localhost"}, 400),
        ({"x-forwarded-proto": "http"}, 301),
        ({}, 301),
    ],
)
def test_it_answers_under_the_sites_name_and_over_tls_only(web, headers, status):
    assert ask(web, "/accounts/log-in/", **headers).status_code == status


@asynccontextmanager
async def users_of(web):
    options = {"people": 10, "now": steady_time, "unix_socket": str(web.socket)}
    async with UserHttpClient(URL, **options) as client:
        yield client


@pytest.mark.parametrize(
    ("origin", "code"), [(URL, "no_queue"), ("https://other.invalid", "foreign_origin")]
)
def test_calls_of_another_sites_pages_are_refused(web, operator, origin, code):
    browser = Client()
    browser.force_login(operator)
    cookie = f"__Host-sessionid={browser.cookies['sessionid'].value}"
    headers = {"Origin": origin, "Cookie": cookie}

    async def join():
        async with users_of(web) as users:
            path = "/api/v1/events/1/queue/"
            return await users.call("POST", path, ip_index=0, headers=headers)

    assert asyncio.run(join()).code == code


async def test_sockets_of_another_sites_pages_are_refused(web):
    async with users_of(web) as users:
        path = "/ws/events/1/seats/"
        own = await users.socket(path, ip_index=0, headers={"Origin": users.origin})
        await own.close(abruptly=True)
        with pytest.raises(SocketRefused, match="403"):
            await users.socket(path, ip_index=0, headers={"Origin": "https://other.invalid"})


def test_only_its_user_reaches_it(web):
    listening = Path(f"/proc/{web.pid}/net/tcp").read_text()

    assert web.socket.parent.stat().st_mode & 0o777 == 0o700
    assert not {*socket_numbers(web.pid)} & {*tcp_listeners(listening)}


def socket_numbers(pid: int) -> Iterator[str]:
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            yield os.readlink(descriptor).removeprefix("socket:[").removesuffix("]")


def tcp_listeners(table: str) -> Iterator[str]:
    rows = (line.split() for line in table.splitlines()[1:])
    return (row[9] for row in rows if row[3] == "0A")


def test_it_is_no_process_of_the_site(web):
    ask(web, "/", **{"x-forwarded-proto": "https"})

    assert [it for it in processes(clock.now()) if it.pid == web.pid] == []


def test_a_rehearsal_reaches_nothing_else_and_cut_short_it_cleans_up(
    web, sale, operator, now, tmp_path
):
    token = services.mint_token(user=operator, now=clock.now())
    options = Options(event=sale.pk, fans=10, minutes=1, folders=tmp_path, is_gentle=True)

    async def play():
        async with SiteClient(URL, token, unix_socket=str(web.socket)) as client:
            task = asyncio.create_task(rehearse(options, client))
            await until_somebody_joined(tmp_path)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(play())

    (folder,) = tmp_path.iterdir()
    assert not any(json.loads((folder / "left_behind.json").read_text()).values())
    assert not Event.objects.exclude(pk=sale.pk).exists()
    assert not User.objects.filter(email__endswith=".invalid").exists()
    ends = [record for record in records_in(folder) if record["action"] == "end"]
    assert len(ends) == 10


async def until_somebody_joined(tmp_path):
    for _ in range(600):
        await asyncio.sleep(0.1)
        for folder in tmp_path.iterdir():
            joins = [it for it in records_in(folder) if it["action"] == "join"]
            if any(it["status"] in (200, 201) for it in joins):
                return
    raise AssertionError("nobody came")


def records_in(folder):
    history = folder / "history.jsonl"
    lines = history.read_text().splitlines(keepends=True) if history.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


# -- the process ----------------------------------------------------------------------------------


def run_beside_people(note: str, options: dict[str, Any]) -> None:
    """As the command does, until somebody kills it; notes the web process and another child."""
    settings.BASE_DIR = Path(note).parent
    with Command().site(options) as site:
        other = subprocess.Popen(["sleep", "600"])
        own = (site.web.pid, str(site.web.socket)) if site.web else (0, "")
        Path(note).with_suffix(".new").write_text(json.dumps([site.url, other.pid, *own]))
        Path(note).with_suffix(".new").rename(note)
        signal.pause()


@dataclass
class Running:
    """A command that runs, its site, and its children: one that lives on, and its web process."""

    command: int
    url: str
    other: int
    web: int
    socket: str

    @classmethod
    @contextmanager
    def started(cls, folder: Path, **options: Any) -> Iterator["Running"]:
        (folder / "manage.py").write_text(FAKE_SITE)
        given = {"embedded": False, "alone": False, "url": None, "token": "tk_x"} | options
        note = folder / "note"
        command = forks.start(f"{__name__}:run_beside_people", note=str(note), options=given)
        wait_until(note.exists)
        running = cls(command, *json.loads(note.read_text()))
        try:
            yield running
        finally:
            running.kill()
            os.kill(running.other, signal.SIGKILL)
            if running.socket:
                shutil.rmtree(Path(running.socket).parent)

    def kill(self) -> None:
        if is_running(self.command):
            os.kill(self.command, signal.SIGKILL)
            forks.wait(self.command)


def is_running(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def niceness(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [os.getpriority(os.PRIO_PROCESS, int(thread.name)) for thread in threads]


def test_everything_else_goes_first_and_a_killed_runner_leaves_no_process(tmp_path):
    with Running.started(tmp_path) as running:
        assert running.url == settings.SITE_URL
        assert min(niceness(running.web)) >= GENTLE_NICENESS
        if (group := Path(f"/proc/{running.web}/autogroup")).exists():
            assert int(group.read_text().split()[-1]) >= GENTLE_NICENESS
        running.kill()
        wait_until(lambda: not is_running(running.web))
        control = is_running(running.other)

    assert control


@pytest.mark.parametrize("options", [{"alone": True}, {"url": "https://tickets.invalid"}])
def test_whoever_loads_the_site_itself_starts_none(tmp_path, options):
    with Running.started(tmp_path, **options) as running:
        assert running.web == 0
