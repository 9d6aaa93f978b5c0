"""Websockets of waiting people, updated every second: how many, how fast, and the cost of each.

Compared with a bare broadcast of the same text on the same server. The clients run on the same
machine.
"""

import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from bench import machine
from bench.client import percentile
from bench.database import prepare_database
from bench.options import Options
from bench.queue_http import every_second, tick
from bench.report import Report, Row
from bench.site import BenchSite
from bench.socket_clients import PER_ADDRESS
from ticketing.development.embedded import process

EVENT = 7
SIZES = (5_000, 20_000)
PER_SERVER = 15_000  # file descriptors are limited
PER_CLIENT_PROCESS = 12_500
SECONDS = 12
# For each client process addresses of its own: ports that others have just closed are not free yet.
_sources = count(1, -(-PER_CLIENT_PROCESS // PER_ADDRESS))
# Calls a second, free places, places, seconds of a stay, and stays known: as Redis writes them.
PACE = "10.000000 20 800 75.000 300.000"
NEAR_EVERYBODY, NEAR_USUAL = 10**7, 1_000


@dataclass
class Servers:
    """Several server processes that share one listening socket."""

    listener: socket.socket
    processes: list[subprocess.Popen[bytes]]

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def cpu(self) -> float:
        """CPU seconds of all processes so far."""
        return sum(self.cpu_each())

    def cpu_each(self) -> list[float]:
        return [machine.cpu_seconds(server.pid) for server in self.processes]

    def memory(self) -> float:
        """Resident memory in KB."""
        return sum(_resident(server.pid) for server in self.processes)


@dataclass
class Received:
    """What the clients received during one measurement."""

    seconds: float
    cpu: float
    closed: int
    frames: int  # of every type
    delays: dict[str, list[float]] = field(default_factory=dict)

    def row(self, floor: float | None = None) -> Row:
        # Without the first and last tick, which may be cut off.
        whole = [times for _, times in sorted(self.delays.items())][1:-1]
        times = [time for each in whole for time in each]
        row: Row = {
            "updates/s": self.frames / self.seconds,
            "p50 ms": percentile(times, 0.5),
            "p99 ms": percentile(times, 0.99),
            "last ms": 1000 * statistics.median(map(max, whole)),
            "CPU µs": self.cost(),
            "closed": self.closed,
        }
        return row | ({} if floor is None else {"with : without": self.cost() / floor})

    def cost(self) -> float:
        return self.cpu / self.frames * 1e6


def run(options: Options) -> Report:
    site = BenchSite(options)
    report = site.report("live")
    try:
        prepare_database()
        for sockets in (options.people,) if options.people else SIZES:
            _measure(report, site, sockets)
    finally:
        site.stop()
    return report


def _measure(report: Report, site: BenchSite, sockets: int) -> None:
    processes, rows = max(site.processes, -(-sockets // PER_SERVER)), {}
    with servers_of(site, processes) as servers, _clients(servers, "/bench/ws", sockets) as clients:
        floor = _measure_frames(servers, clients, every_second(_publish_text))
        rows["bare broadcast"] = floor.row()
    _fill_line(sockets)
    with servers_of(site, processes) as servers:
        before, began = servers.memory(), time.monotonic()
        with _clients(servers, f"/ws/events/{EVENT}/queue/", sockets) as clients:
            took, each = time.monotonic() - began, (servers.memory() - before) / sockets
            for name, near in {
                "everybody, every second": NEAR_EVERYBODY,
                "by the usual rule": NEAR_USUAL,
            }.items():
                _publish("bench:near", str(near))
                received = _measure_frames(servers, clients, every_second(tick))
                rows[name] = received.row(floor.cost())
    rows["opening"] = {"sockets/s": sockets / took, "KB": round(each)}
    report.table(f"{sockets:,} sockets, {processes} server processes", rows)


# -- the line -------------------------------------------------------------------------------------


def _fill_line(people: int) -> None:
    from django.utils import timezone

    from tests.making import make_event
    from ticketing.core import redis
    from ticketing.events.models import Event
    from waiting_queue import services, store
    from waiting_queue.models import SaleQueue

    now = timezone.now()
    if not Event.objects.filter(pk=EVENT).exists():
        make_event(now, id=EVENT)
        rules = {"capacity": 10**6, "max_inside": 10**6, "stock_factor": 10**6}
        SaleQueue.objects.create(event_id=EVENT, opens_at=now, **rules)
        services.move_queue(event_id=EVENT, to=SaleQueue.State.OPEN, by=None, now=now)
    numbers: dict[str, float] = {str(number): number for number in range(1, people + 1)}
    seen: dict[str, float] = dict.fromkeys(numbers, store.ms(now))
    for name in ("line", "seen", "ready", "inside", "called"):
        redis.queue_client().delete(f"queue:{{{EVENT}}}:{name}")
    store.restore(EVENT, {"line": numbers, "seen": seen}, {}, people)


def _tokens(people: int) -> list[str]:
    """Queue tokens of the people in line."""
    from waiting_queue.models import SaleQueue
    from waiting_queue.tokens import QueueToken

    queue = SaleQueue.objects.filter(pk=EVENT).first()
    epoch = queue.epoch if queue else ""
    return [QueueToken(EVENT, str(n), n, epoch).sign() for n in range(1, people + 1)]


def _publish(channel: str, text: str) -> None:
    from ticketing.core import redis

    redis.client().publish(channel, text)


def _publish_text() -> None:
    """Publish a frame of realistic length."""
    from ticketing.core import clock
    from waiting_queue.live.frames import Frames
    from waiting_queue.tick_message import TickMessage

    at_ms = int(clock.now().timestamp() * 1000)
    message = TickMessage(EVENT, queue_state="open", waiting=50_000, pace=PACE, at_ms=at_ms)
    _publish("bench:broadcast", Frames(message).waiting(43_210, 42_109))


# -- processes ------------------------------------------------------------------------------------


@contextmanager
def servers_of(site: BenchSite, processes: int) -> Iterator[Servers]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    listener.set_inheritable(True)
    command = [sys.executable, "-m", "bench.server", str(listener.fileno())]
    with site.log.open("ab") as log:
        started = [
            process.start(
                command, env=site.env, stdout=log, stderr=log, pass_fds=[listener.fileno()]
            )
            for _ in range(processes)
        ]
    servers = Servers(listener, started)
    try:
        time.sleep(4)
        yield servers
    finally:
        for server in started:
            server.kill()
            server.wait()
        listener.close()


@contextmanager
def _clients(servers: Servers, path: str, sockets: int) -> Iterator[list[Any]]:
    tokens = _tokens(sockets)
    clients: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, start in enumerate(range(0, sockets, PER_CLIENT_PROCESS)):
            job = Path(folder) / f"{number}.json"
            part = tokens[start : start + PER_CLIENT_PROCESS]
            job.write_text(
                json.dumps(
                    {
                        "port": servers.port,
                        "path": path,
                        "tokens": part,
                        "first_source": next(_sources),
                    }
                )
            )
            command = [sys.executable, "-m", "bench.socket_clients", str(job)]
            clients.append(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
        try:
            for client in clients:
                if client.stdout.readline() != "ready\n":
                    raise ConnectionError("a client process could not connect")
            yield clients
        finally:
            for client in clients:
                client.kill()
                client.wait()


def _measure_frames(servers: Servers, clients: list[Any], driven: Any) -> Received:
    with driven:
        time.sleep(3)
        cpu = servers.cpu()
        for client in clients:
            client.stdin.write(f"{SECONDS}\n")
            client.stdin.flush()
        results = [json.loads(client.stdout.readline()) for client in clients]
        closed, frames = (sum(each[name] for each in results) for name in ("closed", "frames"))
        received = Received(SECONDS, servers.cpu() - cpu, closed, frames)
    for each in results:
        for mark, times in each["ticks"].items():
            received.delays.setdefault(mark, []).extend(times)
    return received


def _resident(pid: int) -> float:
    fields = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return float(fields["VmRSS"].split()[0])
