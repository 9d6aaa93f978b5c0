"""Folders and addresses of the embedded servers, and the development secret key."""

import errno
import hashlib
import os
import pwd
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from ticketing.development.embedded.errors import cannot_write

# A Unix socket's path must fit in 107 bytes; this leaves room for "/.s.PGSQL.5432".
LONGEST_SOCKET_FOLDER = 80
SHARED_FOLDERS = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108


@dataclass(frozen=True)
class ServerPaths:
    """Folders of the servers: `data` is persistent, `run` holds the sockets."""

    data: Path
    run: Path


@dataclass(frozen=True)
class Addresses:
    database_url: str
    redis_url: str


def server_paths(var: Path) -> ServerPaths:
    """Below `var`, or in a shared folder if the servers' user cannot reach `var`."""
    var = var.absolute()
    short = f"ticketing-{os.getuid()}-{hashlib.sha256(str(var).encode()).hexdigest()[:12]}"
    data = var if is_reachable(var) else SHARED_FOLDERS[1] / short
    run = data / "run"
    if len(str(run).encode()) > LONGEST_SOCKET_FOLDER:
        run = SHARED_FOLDERS[0] / short
    return ServerPaths(data=data, run=run)


def addresses(var: Path) -> Addresses:
    run = server_paths(var).run
    return Addresses(
        database_url=f"postgresql://postgres@{quote(str(run / 'postgres'), safe='')}/ticketing",
        redis_url=f"unix://{run / 'valkey.sock'}",
    )


def celery_url(redis_url: str) -> str:
    """The same Redis in Celery's notation, which writes Unix sockets differently."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    database = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair).get(
        "db", "0"
    )
    return f"redis+socket://{parts.path}?virtual_host={database}"


def secret_key(var: Path) -> str:
    """The secret key for development, created once and stored."""
    path = var / "secret_key"
    try:
        if not path.exists():
            _create_secret_key(path)
        return path.read_text()
    except OSError as problem:
        raise cannot_write(problem, var) from None


def _create_secret_key(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        with suppress(FileExistsError):
            os.link(draft, path)  # the first of several processes wins
    finally:
        draft.unlink(missing_ok=True)


def is_reachable(folder: Path) -> bool:
    """Whether the servers' user can enter this folder; only in doubt if we are root."""
    if os.getuid() != 0:
        return True
    return all(
        parent.stat().st_mode & stat.S_IXOTH
        for parent in (folder, *folder.parents)
        if parent.exists()
    )


def server_user() -> pwd.struct_passwd | None:
    """The user to run servers as: `nobody` if we are root, because PostgreSQL refuses root."""
    return pwd.getpwnam("nobody") if os.getuid() == 0 else None


def server_identity() -> dict[str, Any]:
    """The servers' user as options of `process.start`."""
    user = server_user()
    return {"user": user.pw_uid, "group": user.pw_gid} if user else {}


def create_private_folder(folder: Path) -> Path:
    """Create a private folder for the servers; refuses one that belongs to another user."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    user = server_user()
    ours = {os.getuid(), user.pw_uid if user else os.getuid()}
    for path in (folder, folder.parent):
        if path.parent in SHARED_FOLDERS and path.lstat().st_uid not in ours:
            raise PermissionError(errno.EPERM, "it belongs to somebody else", str(path))
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    return folder
