"""Heartbeats: every process reports every few seconds that it is alive. It is traced, and read by
Prometheus, for as long."""

import atexit
import logging
import os
import socket
import threading
from typing import Any

from celery.signals import beat_init, worker_ready, worker_shutdown
from django.conf import settings
from prometheus_client import REGISTRY
from redis.exceptions import RedisError

from ticketing.console import services, store
from ticketing.core import clock, traces
from ticketing.core.latency import page_latency
from ticketing.core.metrics.listener import Listener
from ticketing.core.server_signals import server_started, server_stopping

log = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 5.0
STOP_SECONDS = 2.0
# Workers with a queue of their own, by the first part of their host name.
SPECIAL_WORKERS = ("ticker", "payer", "mailer")


class Heartbeat(threading.Thread):
    def __init__(self, kind: str, *, seconds: float = HEARTBEAT_SECONDS) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.process = f"{kind} {socket.gethostname()} {os.getpid()}"
        self.seconds = seconds
        self._stopped = threading.Event()

    def run(self) -> None:
        self._report()
        while not self._stopped.wait(self.seconds):
            self._report()

    def stop(self) -> None:
        """A process that is stopped on purpose is not reported as missing."""
        self._stopped.set()
        self.join(STOP_SECONDS)  # a report under way would add the process again
        try:
            store.remove_process(self.process)
        except RedisError as outage:
            log.debug("the end of this process was not reported: %s", outage)

    def _report(self) -> None:
        try:
            store.record_heartbeat(self.process, clock.now(), page_latency.p95_ms())
        except RedisError as outage:
            log.debug("a heartbeat was not saved: %s", outage)


_running: list[Heartbeat | Listener] = []


def start(kind: str) -> None:
    """Until the process ends; the heartbeats of one that is killed just stop."""
    heartbeat = Heartbeat(kind)
    _running.append(heartbeat)
    heartbeat.start()
    traces.start(kind)
    if settings.METRICS:
        if kind == "worker":  # its figures are the whole site's: a worker has a database at hand
            REGISTRY.register(services.SiteMetrics())
        try:
            _running.append(Listener(kind))
        except OSError:
            log.exception("this process has no address for Prometheus")
    atexit.register(stop)


def stop(**_: Any) -> None:
    while _running:
        _running.pop().stop()


def _start_web(is_apart: bool = False, **_: Any) -> None:
    if not is_apart:
        start("web")


def _start_worker(sender: Any, **_: Any) -> None:
    """Workers with a queue of their own have a host name, too (docs/operations.md)."""
    name = str(sender.hostname).partition("@")[0]
    start(name if name in SPECIAL_WORKERS else "worker")


def _start_beat(**_: Any) -> None:
    start("beat")


def connect_signals() -> None:
    server_started.connect(_start_web)
    server_stopping.connect(stop)
    worker_ready.connect(_start_worker)
    beat_init.connect(_start_beat)
    worker_shutdown.connect(stop)
