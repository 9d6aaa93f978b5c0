"""What a backup consists of: a folder with the database, the uploads and a description."""

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from ticketing.development.embedded.errors import CannotRun

DATABASE, MEDIA, DESCRIPTION = "database.dump", "media.tar", "backup.json"
# Random keys without which parts of a backup are worth nothing, and what is lost with them.
KEYS = {
    "SECRET_KEY": "everybody has to log in again",
    "TICKET_KEY": "printed tickets are not valid: set TICKET_OLD_KEYS",
    "DRAW_KEY": "the secrets of draws can't be read: set DRAW_KEY_FALLBACKS",
    "IDENTITY_KEY": "verified people are not recognised: set IDENTITY_KEY_FALLBACKS",
}


@dataclass(frozen=True)
class Description:
    """What a backup holds. Of keys only fingerprints: they show whether a key is the same."""

    made_at: str
    version: str
    postgresql: int
    migrations: dict[str, str]
    keys: dict[str, str]
    files: dict[str, str]

    def save(self, folder: Path) -> None:
        (folder / DESCRIPTION).write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "Description":
        try:
            return cls(**json.loads((folder / DESCRIPTION).read_text()))
        except (OSError, ValueError, TypeError) as problem:
            raise CannotRun(f"{folder} is not a backup: {problem}") from None

    def require_intact(self, folder: Path) -> None:
        damaged = [name for name, known in self.files.items() if checksum(folder / name) != known]
        if damaged:
            raise CannotRun(f"Damaged or missing in {folder}: {', '.join(damaged)}.")

    def require_known_migrations(self) -> None:
        loader = MigrationLoader(None)
        unknown = [
            f"{app}.{name}"
            for app, name in self.migrations.items()
            if app in loader.migrated_apps and (app, name) not in loader.disk_migrations
        ]
        if unknown:
            raise CannotRun(
                f"The backup is of a newer release ({self.version}): {', '.join(unknown)} unknown."
            )

    def changed_keys(self) -> dict[str, str]:
        """Keys that are not those of the backup, and what that means."""
        present = fingerprints()
        return {name: KEYS[name] for name, known in self.keys.items() if present.get(name) != known}


def fingerprints() -> dict[str, str]:
    """Of each key in use: SECRET_KEY takes the place of one that is not set."""
    return {name: _fingerprint(getattr(settings, name) or settings.SECRET_KEY) for name in KEYS}


def _fingerprint(key: str) -> str:
    return hmac.new(key.encode(), b"ticketing backup", "sha256").hexdigest()[:12]


def newest_migrations() -> dict[str, str]:
    """The last applied migration of each app."""
    applied = sorted(MigrationLoader(connection).applied_migrations)
    return dict(applied)


def checksum(file: Path) -> str:
    if not file.is_file():
        return ""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
