"""Folders and addresses of the embedded servers."""

import os
from pathlib import Path

import pytest

from ticketing.development.embedded import celery_url, secret_key
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.embedded.paths import LONGEST_SOCKET_FOLDER, addresses, server_paths

ROOT_ONLY = pytest.mark.skipif(os.getuid() != 0, reason="only root runs servers as somebody else")


def test_a_long_path_gets_a_short_socket_folder() -> None:
    far = Path("/srv") / ("long-name/" * 20)

    assert len(str(server_paths(far).run)) < LONGEST_SOCKET_FOLDER
    assert server_paths(far).run != server_paths(far / "other").run


@ROOT_ONLY
def test_below_a_private_folder_the_data_lies_elsewhere(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)

    assert private not in server_paths(private / "var").data.parents


def test_celery_uses_the_same_socket_and_database() -> None:
    redis = addresses(Path("/srv/site/var")).redis_url

    assert celery_url(f"{redis}?db=3").endswith("valkey.sock?virtual_host=3")
    assert celery_url("redis://host:1/2") == "redis://host:1/2"


def test_the_secret_key_is_created_once(tmp_path: Path) -> None:
    first = secret_key(tmp_path)

    assert len(first) > 50
    assert secret_key(tmp_path) == first


def test_a_secret_key_that_cannot_be_stored_is_reported() -> None:
    with pytest.raises(CannotRun, match="VAR_DIR"):
        secret_key(Path("/proc/nowhere"))
