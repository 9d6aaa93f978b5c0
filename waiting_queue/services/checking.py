"""Checking a draw from what was published: needs neither the database nor Redis."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from ticketing.core.errors import InvalidInput
from waiting_queue.services.drawing import drawn_order, seed_hash

NEEDED = {"seed": str, "seed_sha256": str, "entries": list, "shuffled": bool}


@dataclass(frozen=True)
class Check:
    holds: bool
    words: str


def check_draw(published: Mapping[str, Any], *, noted_hash: str = "") -> list[Check]:
    """Everything that anyone can check; `noted_hash` is what was published before the opening."""
    _require_whole(published)
    seed, entries = published["seed"], published["entries"]
    checks = [
        Check(
            seed_hash(seed) == published["seed_sha256"],
            _("The seed's SHA-256 is the published one."),
        ),
        Check(len(set(entries)) == len(entries), _("Every entry is there once.")),
    ]
    if noted_hash:
        same = noted_hash.strip().lower() == published["seed_sha256"]
        checks.append(Check(same, _("The hash is the one that was noted before.")))
    if published["shuffled"]:
        right = drawn_order(seed, sorted(entries)) == entries
        checks.append(Check(right, _("The order is the one that the seed gives.")))
    return checks


def _require_whole(published: Any) -> None:
    if not isinstance(published, Mapping):
        raise InvalidInput(fields={"draw": [_("This is not a published draw.")]})
    if published.get("entries", 0) is None:
        raise InvalidInput(fields={"entries": [_("This draw has not happened yet.")]})
    wrong = [name for name, kind in NEEDED.items() if not isinstance(published.get(name), kind)]
    if not wrong and not all(isinstance(entry, str) for entry in published["entries"]):
        wrong = ["entries"]
    if wrong:
        words = _("This is missing, or of the wrong kind.")
        raise InvalidInput(fields={name: [words] for name in wrong})
