"""The rule of the draw, and its verification from published data: no database, no Redis.

In draws of earlier releases the secret was the seed itself: their files have a `seed_sha256`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.core.errors import InvalidInput
from waiting_queue.models import MINUTES, hashed

EARLY_FIELD_TYPES = {"seed": str, "seed_sha256": str, "entries": list, "shuffled": bool}
FIELD_TYPES = {
    "secret": str,
    "secret_sha256": str,
    "lobby_sha256": str,
    "public_value_source": str,
    "public_value": str,
    "seed": str,
    "entries": list,
    "shuffled": bool,
}
DESCRIPTIONS = {
    "early": gettext_lazy("This draw is by the earlier rule: its secret was the seed itself."),
    "secret": gettext_lazy("The secret's SHA-256 is the published one."),
    "noted_hash": gettext_lazy("The hash is the one that was noted before."),
    "entries": gettext_lazy("Every entry is there once."),
    "lobby": gettext_lazy("The hash of the lobby is that of its entries."),
    "public_value": gettext_lazy("The public value that was announced is part of the seed."),
    "no_public_value": gettext_lazy(
        "The public value that was announced was not entered before the opening: drawn without it."
    ),
    "no_announcement": gettext_lazy("No public value was announced, and none is used."),
    "noted_value": gettext_lazy("The public value is the one that was looked up."),
    "seed": gettext_lazy("The seed follows from secret, lobby and public value."),
    "order": gettext_lazy("The order is the one that the seed gives."),
    "minute_secrets": gettext_lazy("The secrets of all minutes lead to the published hash."),
    "minute_entries": gettext_lazy("The hash of each minute is that of its entries."),
    "minute_seeds": gettext_lazy("The seed of each minute follows from its secret and entries."),
    "minute_orders": gettext_lazy("The order of each minute is the one that its seed gives."),
    "minute_numbers": gettext_lazy("No minute has numbers before those of an earlier one."),
}
MINUTE_FIELD_TYPES = {
    "minute": int,
    "secret": str,
    "entries_sha256": str,
    "seed": str,
    "first_number": int,
    "entries": list,
}


@dataclass(frozen=True)
class DrawCheck:
    code: str
    passed: bool

    @property
    def description(self) -> str:
        return str(DESCRIPTIONS[self.code])


def text_hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def lobby_hash(entries: Iterable[str]) -> str:
    """Return the hash of those in the lobby, whatever order they are in."""
    return text_hash("\n".join(sorted(entries)))


def derived_seed(secret: str, lobby_sha256: str, public_value: str) -> str:
    """Return the seed: nobody knows it before the lobby is fixed, not even who knows the secret."""
    return text_hash(f"{secret}:{lobby_sha256}:{public_value}")


def drawn_order(seed: str, entries: Iterable[str]) -> list[str]:
    """Return the entries in the order that the seed gives."""
    return sorted(entries, key=lambda entry: sha256(f"{seed}:{entry}".encode()).digest())


def draw_checks(
    published: Mapping[str, Any], *, noted_hash: str = "", noted_value: str = ""
) -> list[DrawCheck]:
    """Return every check of a published draw against itself and what the caller has noted.

    A line that is drawn all along may have had no lobby: then there are only its minutes.
    """
    if not isinstance(published, Mapping):
        raise InvalidInput(fields={"draw": [_("This is not a published draw.")]})
    if published.get("entries", 0) is None and not published.get("minutes"):
        raise InvalidInput(fields={"entries": [_("This draw has not happened yet.")]})
    minutes = minute_checks(published) if published.get("minutes") else []
    if minutes and published["entries"] is None:
        return minutes
    return [*_lobby_checks(published, noted_hash, noted_value), *minutes]


def minute_checks(published: Mapping[str, Any]) -> list[DrawCheck]:
    """Return the checks of the minutes that are drawn so far."""
    _require_types(published, {"minutes_sha256": str, "minutes": list})
    minutes = published["minutes"]
    for one in minutes:
        _require_types(one if isinstance(one, Mapping) else {}, MINUTE_FIELD_TYPES)
    seeds = [derived_seed(one["secret"], one["entries_sha256"], "") for one in minutes]
    return [
        DrawCheck("minute_secrets", _is_chain(published["minutes_sha256"], minutes)),
        DrawCheck(
            "minute_entries",
            all(lobby_hash(one["entries"]) == one["entries_sha256"] for one in minutes),
        ),
        DrawCheck("minute_seeds", seeds == [one["seed"] for one in minutes]),
        DrawCheck(
            "minute_orders",
            all(
                drawn_order(one["seed"], sorted(one["entries"])) == one["entries"]
                for one in minutes
            ),
        ),
        DrawCheck("minute_numbers", _are_in_order(published, minutes)),
    ]


def _is_chain(commitment: str, minutes: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each secret, hashed once a minute, leads to the one before, and to the commitment."""
    known, at = commitment, 0
    for one in minutes:
        steps = one["minute"] - at
        if not 0 < steps <= MINUTES or hashed(one["secret"], steps) != known:
            return False
        known, at = one["secret"], one["minute"]
    return True


def _are_in_order(published: Mapping[str, Any], minutes: Sequence[Mapping[str, Any]]) -> bool:
    """Whether everybody's number is behind those of the lobby and of the minutes before."""
    lobby = {"first_number": published.get("first_number") or 1, "entries": published["entries"]}
    draws = [{**lobby, "entries": lobby["entries"] or []}, *minutes]
    ends = [draw["first_number"] + len(draw["entries"]) for draw in draws]
    return all(end <= draw["first_number"] for end, draw in zip(ends, draws[1:], strict=False))


def _lobby_checks(
    published: Mapping[str, Any], noted_hash: str, noted_value: str
) -> list[DrawCheck]:
    _require_types(published, EARLY_FIELD_TYPES if "seed_sha256" in published else FIELD_TYPES)
    is_early, entries = "seed_sha256" in published, published["entries"]
    secret, promised = (
        (published["seed"], published["seed_sha256"])
        if is_early
        else (published["secret"], published["secret_sha256"])
    )
    checks = [DrawCheck("early", True)] if is_early else []
    checks.append(DrawCheck("secret", text_hash(secret) == promised))
    if noted_hash:
        checks.append(DrawCheck("noted_hash", noted_hash.strip().lower() == promised))
    checks.append(DrawCheck("entries", len(set(entries)) == len(entries)))
    if not is_early:
        checks += _seed_checks(published, noted_value.strip())
    if published["shuffled"]:
        in_order = drawn_order(published["seed"], sorted(entries)) == entries
        checks.append(DrawCheck("order", in_order))
    return checks


def _seed_checks(published: Mapping[str, Any], noted_value: str) -> list[DrawCheck]:
    lobby, value = published["lobby_sha256"], published["public_value"]
    checks = [DrawCheck("lobby", lobby_hash(published["entries"]) == lobby)]
    if published["public_value_source"]:
        checks.append(DrawCheck("public_value" if value else "no_public_value", True))
    else:
        checks.append(DrawCheck("no_announcement", not value))
    if noted_value:
        checks.append(DrawCheck("noted_value", noted_value == value))
    follows = derived_seed(published["secret"], lobby, value) == published["seed"]
    return [*checks, DrawCheck("seed", follows)]


def _require_types(published: Mapping[str, Any], expected_types: Mapping[str, type]) -> None:
    wrong = [
        name
        for name, expected in expected_types.items()
        if not isinstance(published.get(name), expected)
    ]
    if not wrong and not all(isinstance(entry, str) for entry in published.get("entries") or []):
        wrong = ["entries"]
    if wrong:
        message = _("This is missing, or of the wrong kind.")
        raise InvalidInput(fields={name: [message] for name in wrong})
