"""Every process says, every few seconds, that it lives."""

import atexit
import logging
import os
import socket
import threading
from typing import Any

from celery.signals import beat_init, worker_ready, worker_shutdown
from redis.exceptions import RedisError

from ticketing.console import store
from ticketing.core import clock
from ticketing.core.latency import pages
from ticketing.core.server_signals import server_started, server_stopping

log = logging.getLogger(__name__)
BEAT_SECONDS = 5.0
# Workers with a task of their own, by the first part of their host name.
NAMED = ("ticker", "payer")


class Heart(threading.Thread):
    def __init__(self, kind: str, *, seconds: float = BEAT_SECONDS) -> None:
        super().__init__(name="heart", daemon=True)
        self.process = f"{kind} {socket.gethostname()} {os.getpid()}"
        self.seconds = seconds
        self._ended = threading.Event()

    def run(self) -> None:
        self._beat()
        while not self._ended.wait(self.seconds):
            self._beat()

    def stop(self) -> None:
        """A process that was stopped on purpose is not missed."""
        self._ended.set()
        try:
            store.remove_process(self.process)
        except RedisError as outage:
            log.debug("nobody was told of the end: %s", outage)

    def _beat(self) -> None:
        try:
            store.record_heartbeat(self.process, clock.now(), pages.p95_ms())
        except RedisError as outage:
            log.debug("nobody heard this heart: %s", outage)


_hearts: list[Heart] = []


def start(kind: str) -> None:
    """Until the process ends; one that is killed falls silent."""
    heart = Heart(kind)
    _hearts.append(heart)
    heart.start()
    atexit.register(stop)


def stop(**_: Any) -> None:
    while _hearts:
        _hearts.pop().stop()


def _web(**_: Any) -> None:
    start("web")


def _worker(sender: Any, **_: Any) -> None:
    """Those of the ticks and the payments are told by their names, as docs/operations.md says."""
    name = str(sender.hostname).partition("@")[0]
    start(name if name in NAMED else "worker")


def _beat(**_: Any) -> None:
    start("beat")


def listen() -> None:
    server_started.connect(_web)
    server_stopping.connect(stop)
    worker_ready.connect(_worker)
    beat_init.connect(_beat)
    worker_shutdown.connect(stop)
