"""The rule of the draw, and its verification from published data: no database, no Redis."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext as _

from ticketing.core.errors import InvalidInput

FIELD_TYPES = {"seed": str, "seed_sha256": str, "entries": list, "shuffled": bool}


@dataclass(frozen=True)
class DrawCheck:
    passed: bool
    description: str


def seed_hash(seed: str) -> str:
    """Return the hash that is published before the opening."""
    return sha256(seed.encode()).hexdigest()


def drawn_order(seed: str, entries: Iterable[str]) -> list[str]:
    """Return the entries in the order that the seed gives: the whole rule of the draw."""
    return sorted(entries, key=lambda entry: sha256(f"{seed}:{entry}".encode()).digest())


def draw_checks(published: Mapping[str, Any], *, noted_hash: str = "") -> list[DrawCheck]:
    """Return every check of a published draw; `noted_hash` was noted down before the opening."""
    _require_complete(published)
    seed, entries = published["seed"], published["entries"]
    checks = [
        DrawCheck(
            seed_hash(seed) == published["seed_sha256"],
            _("The seed's SHA-256 is the published one."),
        ),
        DrawCheck(len(set(entries)) == len(entries), _("Every entry is there once.")),
    ]
    if noted_hash:
        same = noted_hash.strip().lower() == published["seed_sha256"]
        checks.append(DrawCheck(same, _("The hash is the one that was noted before.")))
    if published["shuffled"]:
        in_order = drawn_order(seed, sorted(entries)) == entries
        checks.append(DrawCheck(in_order, _("The order is the one that the seed gives.")))
    return checks


def _require_complete(published: Any) -> None:
    if not isinstance(published, Mapping):
        raise InvalidInput(fields={"draw": [_("This is not a published draw.")]})
    if published.get("entries", 0) is None:
        raise InvalidInput(fields={"entries": [_("This draw has not happened yet.")]})
    wrong = [
        name
        for name, expected in FIELD_TYPES.items()
        if not isinstance(published.get(name), expected)
    ]
    if not wrong and not all(isinstance(entry, str) for entry in published["entries"]):
        wrong = ["entries"]
    if wrong:
        message = _("This is missing, or of the wrong kind.")
        raise InvalidInput(fields={name: [message] for name in wrong})
