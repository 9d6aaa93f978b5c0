"""Where the embedded servers keep their files and how they are reached."""

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
OPEN_TO_ALL = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108


@dataclass(frozen=True)
class Places:
    """Folders of the servers: `data` is kept, `run` holds the sockets."""

    data: Path
    run: Path


@dataclass(frozen=True)
class Addresses:
    database_url: str
    redis_url: str


def places(var: Path) -> Places:
    """Below `var`, or beside it where the servers could not reach that."""
    var = var.absolute()
    short = f"ticketing-{os.getuid()}-{hashlib.sha256(str(var).encode()).hexdigest()[:12]}"
    data = var if reachable(var) else OPEN_TO_ALL[1] / short
    run = data / "run"
    if len(str(run).encode()) > LONGEST_SOCKET_FOLDER:
        run = OPEN_TO_ALL[0] / short
    return Places(data=data, run=run)


def addresses(var: Path) -> Addresses:
    run = places(var).run
    return Addresses(
        database_url=f"postgresql://postgres@{quote(str(run / 'postgres'), safe='')}/ticketing",
        redis_url=f"unix://{run / 'valkey.sock'}",
    )


def celery_url(redis_url: str) -> str:
    """Celery spells a Unix socket differently."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    database = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair).get(
        "db", "0"
    )
    return f"redis+socket://{parts.path}?virtual_host={database}"


def secret_key(var: Path) -> str:
    """A secret key for development, made once and kept."""
    path = var / "secret_key"
    try:
        if not path.exists():
            _make_secret_key(path)
        return path.read_text()
    except OSError as problem:
        raise cannot_write(problem, var) from None


def _make_secret_key(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        with suppress(FileExistsError):
            os.link(draft, path)  # the first of several processes wins
    finally:
        draft.unlink(missing_ok=True)


def reachable(folder: Path) -> bool:
    """Can the servers' user walk down to this folder? Only in doubt when we are root."""
    if os.getuid() != 0:
        return True
    return all(
        parent.stat().st_mode & stat.S_IXOTH
        for parent in (folder, *folder.parents)
        if parent.exists()
    )


def server_user() -> pwd.struct_passwd | None:
    """PostgreSQL refuses to run as root; then it runs as nobody, and no user is created."""
    return pwd.getpwnam("nobody") if os.getuid() == 0 else None


def server_identity() -> dict[str, Any]:
    """The same as options for starting a process."""
    user = server_user()
    return {"user": user.pw_uid, "group": user.pw_gid} if user else {}


def own(folder: Path) -> Path:
    """Make a private folder for the servers, and refuse one that somebody else prepared."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    user = server_user()
    ours = {os.getuid(), user.pw_uid if user else os.getuid()}
    for place in (folder, folder.parent):
        if place.parent in OPEN_TO_ALL and place.lstat().st_uid not in ours:
            raise PermissionError(errno.EPERM, "it belongs to somebody else", str(place))
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    return folder
