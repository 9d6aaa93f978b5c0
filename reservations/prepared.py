"""Statements that a connection plans once: planning a hold takes longer than doing it.

Where connections are shared between transactions (a pooler; then Django is told to go without
server-side cursors) nothing is prepared, and each statement is planned each time.
"""

import re
from collections import defaultdict
from functools import cache
from hashlib import sha1
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection

TYPES = {
    **dict.fromkeys(("event", "fan"), "bigint"),
    **dict.fromkeys(("quantity", "near", "tries", "beside"), "integer"),
    **dict.fromkeys(("code", "key", "grade", "section"), "text"),
    "seats": "bigint[]",
    "accessible": "boolean",
    "now": "timestamptz",
}
NAMED = re.compile(r"%\((\w+)\)s")
# Which statements a connection knows; forgotten together with it.
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def run(cursor: Any, first: str, statement: str, wanted: dict[str, Any]) -> None:
    """`first`, then the statement, in one round trip; in one more, once for a connection."""
    if connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
        cursor.execute(first + statement, wanted)
        return
    name, prepare, execute = _forms(statement)
    known = _known.setdefault(connection.connection, set())
    if name not in known:
        cursor.execute(prepare, {})
        known.add(name)
    cursor.execute(first + execute, wanted)


@cache
def _forms(statement: str) -> tuple[str, str, str]:
    """Its name, how it is prepared, and how it is called."""
    order: dict[str, int] = defaultdict(lambda: len(order) + 1)
    text = NAMED.sub(lambda found: f"${order[found[1]]}", statement)
    name = f"held_{sha1(text.encode(), usedforsecurity=False).hexdigest()[:16]}"
    types = ", ".join(TYPES[each] for each in order)
    values = ", ".join(f"%({each})s::{TYPES[each]}" for each in order)
    return name, f"PREPARE {name} ({types}) AS {text}", f"EXECUTE {name} ({values});"
