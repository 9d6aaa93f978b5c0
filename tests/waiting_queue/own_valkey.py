"""A Valkey of a test's own, with an append-only file, that may be killed and may lose its end."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from ticketing.core import redis
from ticketing.development.embedded.paths import addresses, server_paths
from ticketing.development.embedded.valkey import Valkey


@contextmanager
def running_valkey(monkeypatch: pytest.MonkeyPatch) -> Iterator[Valkey]:
    """The queue's Redis for as long as the block runs; every write reaches its file at once."""
    with tempfile.TemporaryDirectory(prefix="ticketing-test-") as folder:
        Path(folder).chmod(0o755)
        valkey = Valkey(server_paths(Path(folder)))
        valkey.prepare()
        valkey.wait_until_ready()
        client = Redis.from_url(addresses(Path(folder)).redis_url, decode_responses=True)
        client.config_set("appendfsync", "always")
        monkeypatch.setattr(redis, "queue_client", lambda: client)
        yield valkey
        valkey.stop()


def file_size(valkey: Valkey) -> int:
    return append_only_file(valkey).stat().st_size


def append_only_file(valkey: Valkey) -> Path:
    (file,) = (valkey.files / "appendonlydir").glob("*.incr.aof")
    return file


def start_again(valkey: Valkey, *, size: int | None = None) -> None:
    """Kill it and start it again, with only so much of its file if that is given."""
    assert valkey.child is not None
    started = int(valkey.call("LASTSAVE").removeprefix(b":"))
    valkey.child.kill()
    valkey.child.wait(10)
    valkey.child = None
    while int(time.time()) == started:  # starts are told apart by the second
        time.sleep(0.01)
    if size is not None:
        os.truncate(append_only_file(valkey), size)
    valkey.prepare()
    valkey.wait_until_ready()
