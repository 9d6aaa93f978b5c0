"""Addresses of servers that may be replaced while the site runs: Redis by Sentinel, PostgreSQL by
its standby."""

import re
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

CLUSTER, SENTINEL = "redis+cluster://", "redis+sentinel://"
SENTINEL_FORM = "redis+sentinel://[user:password@]host:port,host:port/name[/database]"
REDIS_PORT, SENTINEL_PORT, POSTGRES_PORT = 6379, 26379, 5432
# A host that vanishes answers nothing, not even that it is gone. After so many seconds of silence
# its connections count as broken, also those that wait for something to happen.
SILENT_AFTER = 5
KEEPALIVE = {"keepalives_idle": 3, "keepalives_interval": 1, "keepalives_count": 2}


@dataclass(frozen=True)
class SentinelAddress:
    """Sentinels, and the name under which they know a Redis primary."""

    sentinels: tuple[tuple[str, int], ...]
    primary: str
    database: int = 0
    username: str = ""
    password: str = ""
    sentinel_password: str = ""

    @classmethod
    def parse(cls, url: str) -> "SentinelAddress":
        parts = urlsplit(url)
        login, _, hosts = parts.netloc.rpartition("@")
        username, _, password = login.partition(":")
        primary, _, database = parts.path.strip("/").partition("/")
        if not (hosts and primary and (database or "0").isdecimal()):
            raise ImproperlyConfigured(f"An address by Sentinel is like {SENTINEL_FORM}.")
        return cls(
            sentinels=tuple(_host_and_port(host) for host in hosts.split(",")),
            primary=unquote(primary),
            database=int(database or 0),
            username=unquote(username),
            password=unquote(password),
            sentinel_password=parse_qs(parts.query).get("sentinel_password", [""])[0],
        )

    def connection_options(self) -> dict[str, Any]:
        login = {"username": self.username, "password": self.password}
        return {"db": self.database} | {name: value for name, value in login.items() if value}

    def celery_url(self) -> str:
        """Celery's notation: every Sentinel a URL of its own."""
        login = f"{quote(self.username)}:{quote(self.password)}@" if self.password else ""
        return ";".join(
            f"sentinel://{login}{host}:{port}/{self.database}" for host, port in self.sentinels
        )


def cluster_nodes(url: str) -> tuple[str, list[tuple[str, int]]]:
    """The first node of a Redis Cluster as a URL of its own, and the others: each knows all."""
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    first, *others = hosts.split(",")
    single = parts._replace(scheme="redis", netloc=f"{login}{at}{first}").geturl()
    return single, [_host_and_port(host, REDIS_PORT) for host in others]


def celery_options(url: str, timeout: float) -> dict[str, Any]:
    """Options of Celery's connections to its broker."""
    if url.startswith(CLUSTER):
        raise ImproperlyConfigured("Celery can't use a Redis Cluster: set BROKER_URL to another.")
    alive = {
        socket.TCP_KEEPIDLE: KEEPALIVE["keepalives_idle"],
        socket.TCP_KEEPINTVL: KEEPALIVE["keepalives_interval"],
        socket.TCP_KEEPCNT: KEEPALIVE["keepalives_count"],
        socket.TCP_USER_TIMEOUT: 1000 * SILENT_AFTER,
    }
    options: dict[str, Any] = {
        "socket_timeout": SILENT_AFTER,  # Celery waits for messages a second at a time
        "socket_connect_timeout": timeout,
        "health_check_interval": SILENT_AFTER,
        "socket_keepalive": True,
        "socket_keepalive_options": alive,
    }
    if url.startswith(SENTINEL):
        address = SentinelAddress.parse(url)
        sentinel: dict[str, Any] = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
        if address.sentinel_password:
            sentinel["password"] = address.sentinel_password
        options |= {"master_name": address.primary, "sentinel_kwargs": sentinel}
    return options


def database_settings(url: str, **options: Any) -> dict[str, Any]:
    """Django's settings of a PostgreSQL; the URL may name several hosts, as libpq's may."""
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    several = [_host_and_port(host, POSTGRES_PORT) for host in hosts.split(",")]
    if len(several) > 1:
        url = parts._replace(netloc=f"{login}{at}several").geturl()
    found: dict[str, Any] = dict(dj_database_url.parse(url, **options))
    if len(several) > 1:
        found["HOST"] = ",".join(host for host, _ in several)
        found["PORT"] = ",".join(str(port) for _, port in several)
    limits = {"connect_timeout": 3, "tcp_user_timeout": 1000 * SILENT_AFTER, **KEEPALIVE}
    found["OPTIONS"] = limits | found.get("OPTIONS", {})
    # A pooler that lends a server for one transaction keeps no cursor open beyond it.
    found["DISABLE_SERVER_SIDE_CURSORS"] = bool(
        found["OPTIONS"].pop("disable_server_side_cursors", False)
    )
    # Nor what was prepared in it, unless it knows of that (PgBouncer from 1.21 on).
    found["PREPARED_STATEMENTS"] = bool(found["OPTIONS"].pop("prepared_statements", True))
    return found


def _host_and_port(text: str, default: int = SENTINEL_PORT) -> tuple[str, int]:
    """Host and port of `host`, `host:port` or `[IPv6]:port`."""
    matched = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(\d+))?", text)
    if matched is None:
        raise ImproperlyConfigured(f"“{text}” is not like host:port.")
    return unquote(matched[1].strip("[]")), int(matched[2] or default)
