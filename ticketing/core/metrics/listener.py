"""The address at which Prometheus reads one process, and the file that announces it.

Every process has its own: it needs no other process to be read, and the reader adds up. The file
is for Prometheus' `file_sd_configs`: `VAR_DIR/metrics/<host>-<kind>-<number>.json`. A process takes
the first number whose file nobody has locked: one that is started again has the same name.
"""

import fcntl
import json
import logging
import socket
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, TextIO

from django.conf import settings
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder

log = logging.getLogger(__name__)
PATH = "/metrics"
CLIENT_SECONDS = 5.0  # for a client that connects and says nothing


class MetricsHandler(BaseHTTPRequestHandler):
    timeout = CLIENT_SECONDS
    server_version, sys_version = "metrics", ""

    def do_GET(self) -> None:
        if not self._is_allowed():
            self.send_error(401)
        elif self.path.partition("?")[0] != PATH:
            self.send_error(404)
        else:
            encode, content_type = choose_encoder(self.headers.get("Accept", ""))
            body = encode(REGISTRY)
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def _is_allowed(self) -> bool:
        wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
        sent = self.headers.get("Authorization", "").encode()
        return not settings.METRICS_TOKEN or compare_digest(sent, wanted)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: it is read every few seconds."""


class Listener:
    """Listens in a thread of its own until `stop`, one reader at a time."""

    def __init__(self, kind: str, folder: Path | None = None) -> None:
        self.server = _bind(settings.METRICS_HOST, settings.METRICS_PORT)
        self.port = int(self.server.server_address[1])
        self._file = _announce(kind, self.port, folder or settings.VAR_DIR / "metrics")
        Thread(target=self.server.serve_forever, name="metrics", daemon=True).start()

    def stop(self) -> None:
        """A process that is stopped on purpose is not missed."""
        self.server.shutdown()
        self.server.server_close()
        if self._file:
            _write(self._file, [])
            self._file.close()


def is_local(host: str) -> bool:
    """Whether only this machine can connect to it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bind(host: str, port: int) -> HTTPServer:
    """At any free port if another process of this machine has the port."""
    try:
        return HTTPServer((host, port), MetricsHandler)
    except OSError as problem:
        if not port:
            raise
        log.info("metrics: port %s is taken, another one is used: %s", port, problem)
        return HTTPServer((host, 0), MetricsHandler)


def _announce(kind: str, port: int, folder: Path) -> TextIO | None:
    """The locked file; without one, only who knows the port can read the process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file, name = _locked_file(folder, kind)
    except OSError as problem:
        log.warning("metrics: no file tells Prometheus of port %s: %s", port, problem)
        return None
    host = settings.METRICS_HOST if is_local(settings.METRICS_HOST) else socket.gethostname()
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    _write(file, [{"targets": [target], "labels": {"process": kind, "instance": name}}])
    return file


def _locked_file(folder: Path, kind: str) -> tuple[TextIO, str]:
    for number in count(1):
        name = f"{socket.gethostname()}-{kind}-{number}"
        file = (folder / f"{name}.json").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
        else:
            return file, name
    raise AssertionError


def _write(file: TextIO, targets: list[dict[str, Any]]) -> None:
    file.truncate(0)
    file.write(json.dumps(targets))
    file.flush()
