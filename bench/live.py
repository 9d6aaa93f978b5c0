"""Websockets of waiting people, updated every second: how many, how fast, and the cost of each.

Compared with a bare broadcast of the same text on the same server. The clients run on the same
machine.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.database import prepare_database
from bench.queue_http import every_second, tick
from tests.faults.site import Site
from ticketing.development.embedded import process

EVENT = 7
SIZES = [int(size) for size in os.environ.get("BENCH_SOCKETS", "5000,20000,50000").split(",")]
PER_SERVER = 15_000  # file descriptors are limited
PER_CLIENT_PROCESS = 12_500
SECONDS = 12
NEAR_EVERYBODY, NEAR_USUAL = 10**7, 1_000
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


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
        return [_cpu(server.pid) for server in self.processes]

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

    def row(self, name: str, sockets: int, floor: float | None = None) -> str:
        whole = sorted(self.delays.items())[
            1:-1
        ]  # without the first and last tick, which may be cut off
        times = sorted(time for _, each in whole for time in each)
        last = statistics.median(max(each) for _, each in whole)
        per_update = self.cost()
        ratio = "" if floor is None else f"{per_update / floor:.2f}"
        return (
            f"{name:<34}{sockets:>8,}{self.frames / self.seconds:>11,.0f}"
            f"{1000 * times[len(times) // 2]:>8.0f}{1000 * times[int(len(times) * 0.99)]:>8.0f}"
            f"{1000 * last:>9.0f}{per_update:>9.1f}{ratio:>9}{self.closed:>8}"
        )

    def cost(self) -> float:
        return self.cpu / self.frames * 1e6


def run() -> None:
    site = Site(settings="bench.settings")
    try:
        os.environ.update(site.env)
        prepare_database()
        for sockets in SIZES:
            _measure(site, sockets)
    finally:
        site.stop()


def _measure(site: Site, sockets: int) -> None:
    count = max(2, -(-sockets // PER_SERVER))
    print(f"\n{sockets:,} sockets, {count} server processes, {os.cpu_count()} cores", flush=True)
    print(
        f"{'':<34}{'sockets':>8}{'updates/s':>11}{'p50 ms':>8}{'p99 ms':>8}{'last ms':>9}"
        f"{'µs each':>9}{'of bare':>9}{'closed':>8}",
        flush=True,
    )
    with servers_of(site, count) as servers, _clients(servers, "/bench/ws", sockets) as clients:
        floor = _measure_frames(servers, clients, every_second(_publish_text))
        print(floor.row("bare broadcast", sockets), flush=True)
    _fill_line(sockets)
    with servers_of(site, count) as servers:
        before, began = servers.memory(), time.monotonic()
        with _clients(servers, f"/ws/events/{EVENT}/queue/", sockets) as clients:
            took, each = time.monotonic() - began, (servers.memory() - before) / sockets
            for name, near in {
                "everybody, every second": NEAR_EVERYBODY,
                "by the usual rule": NEAR_USUAL,
            }.items():
                _publish("bench:near", str(near))
                received = _measure_frames(servers, clients, every_second(tick))
                print(received.row(name, sockets, floor.cost()), flush=True)
        print(f"opened {sockets / took:,.0f} a second; {each:.0f} KB of memory each", flush=True)


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
        SaleQueue.objects.create(event_id=EVENT, opens_at=now, capacity=10**6, max_inside=10**6)
        services.move_queue(event_id=EVENT, to=SaleQueue.State.OPEN, by=None, now=now)
    numbers = {str(number): number for number in range(1, people + 1)}
    seen = dict.fromkeys(numbers, store.ms(now))
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
    message = TickMessage(EVENT, queue_state="open", waiting=50_000, fast=10, slow=10, at_ms=at_ms)
    _publish("bench:broadcast", Frames(message).waiting(43_210, 42_109))


# -- processes ------------------------------------------------------------------------------------


@contextmanager
def servers_of(site: Site, count: int) -> Iterator[Servers]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    listener.set_inheritable(True)
    command = [sys.executable, "-m", "bench.server", str(listener.fileno())]
    with site.log.open("ab") as log:
        started = [
            process.start(
                command, env=site.env, stdout=log, stderr=log, pass_fds=[listener.fileno()]
            )
            for _ in range(count)
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
                        "first_source": 1 + 2 * number,
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


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def _resident(pid: int) -> float:
    fields = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return float(fields["VmRSS"].split()[0])
