"""The site in production mode behind Debian's nginx with deploy/nginx/ticketing.conf."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from websockets.sync.client import ClientConnection, connect

from tests.faults.site import free_port
from tests.waiting import PATIENCE, wait_until
from ticketing.development.embedded import process
from ticketing.processes import WEB

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
HOST = "tickets.example.com"
ORIGIN = f"https://{HOST}"
MAIN = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    include {folder}/ticketing.conf;
}}
"""


@dataclass
class Proxied:
    http_port: int
    https_port: int

    def client(self, address: str = "127.0.0.1", **options: Any) -> httpx.Client:
        """A browser at this address of the loopback network."""
        transport = httpx.HTTPTransport(verify=False, local_address=address)
        url = f"https://127.0.0.1:{self.https_port}"
        headers = {"Host": HOST, "Origin": ORIGIN} | options.pop("headers", {})
        options = {"base_url": url, "timeout": 30, "headers": headers} | options
        return httpx.Client(transport=transport, **options)

    def socket(self, path: str, *, address: str, **headers: str) -> ClientConnection:
        plain = socket.create_connection(
            ("127.0.0.1", self.https_port), source_address=(address, 0)
        )
        unchecked = ssl._create_unverified_context()
        return connect(
            f"wss://{HOST}{path}",
            sock=plain,
            ssl=unchecked,
            origin=ORIGIN,
            additional_headers=headers,
            proxy=None,
            open_timeout=PATIENCE,
        )


def write_configuration(folder: Path, *, upstream: int, http: int, https: int) -> Path:
    """The file of deploy/ with our ports and certificate, and with time on a busy machine."""
    make_certificate(folder)
    text = Path("deploy/nginx/ticketing.conf").read_text()
    for real, ours in {
        "server 127.0.0.1:8000;": f"server 127.0.0.1:{upstream};",
        "listen 443 ssl": f"listen 127.0.0.1:{https} ssl",
        "listen 80;": f"listen 127.0.0.1:{http};",
        "/etc/ssl/tickets.": f"{folder}/tickets.",
        "client_header_timeout 10s;": f"client_header_timeout {PATIENCE}s;",
    }.items():
        assert real in text
        text = text.replace(real, ours)
    (folder / "ticketing.conf").write_text(text)
    main = folder / "nginx.conf"
    main.write_text(MAIN.format(folder=folder))
    return main


def make_certificate(folder: Path) -> None:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "tickets.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "tickets.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


@contextmanager
def running(command: list[Any], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    child = process.start(command, **options)
    try:
        yield child
    finally:
        process.stop(child)


@contextmanager
def site_behind_nginx(folder: Path, **environment: str) -> Iterator[Proxied]:
    """One web process on this worker's database and Redis, as a real server has it."""
    ports = [free_port() for _ in range(3)]
    upstream, http, https = ports
    main = write_configuration(folder, upstream=upstream, http=http, https=https)
    production = {
        "DEVELOPMENT": "0",
        "PAYMENTS_SANDBOX": "0",
        "ALLOWED_HOSTS": HOST,
        "STAFF_TWO_FACTOR": "off",
        "PORT": str(upstream),
        "LOG_LEVEL": "WARNING",
    }
    env = os.environ | production | environment
    with (
        running([sys.executable, *WEB.arguments], env=env),
        running([str(NGINX), "-e", folder / "error.log", "-c", main, "-p", folder]),
    ):
        proxied = Proxied(http, https)
        with proxied.client() as browser:
            wait_until(lambda: is_up(browser))
        yield proxied


def is_up(browser: httpx.Client) -> bool:
    with suppress(httpx.TransportError):
        return browser.get("/readyz").status_code == 200
    return False
