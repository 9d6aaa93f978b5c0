"""Prepares a statement once per connection: planning a hold takes longer than running it.

Nothing is prepared behind a pooler that shares connections between transactions; there Django is
configured without server-side cursors.
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
    **dict.fromkeys(("quantity", "near", "max_choices", "neighbour_distance"), "integer"),
    **dict.fromkeys(("code", "key", "grade", "section"), "text"),
    "seats": "bigint[]",
    "accessible": "boolean",
    "now": "timestamptz",
}
PARAMETER = re.compile(r"%\((\w+)\)s")
# The names of the statements that each connection has prepared.
_prepared: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def prepared(cursor: Any, statement: str) -> str:
    """The text that runs the statement; prepares it first if this connection has not yet."""
    if connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
        return statement
    name, prepare, execute = prepared_forms(statement)
    names = _prepared.setdefault(connection.connection, set())
    if name not in names:
        cursor.execute(prepare, {})
        names.add(name)
    return execute


@cache
def prepared_forms(statement: str) -> tuple[str, str, str]:
    """The name of the prepared statement, its PREPARE and its EXECUTE."""
    order: dict[str, int] = defaultdict(lambda: len(order) + 1)
    text = PARAMETER.sub(lambda found: f"${order[found[1]]}", statement)
    name = f"held_{sha1(text.encode(), usedforsecurity=False).hexdigest()[:16]}"
    types = ", ".join(TYPES[each] for each in order)
    values = ", ".join(f"%({each})s::{TYPES[each]}" for each in order)
    return name, f"PREPARE {name} ({types}) AS {text}", f"EXECUTE {name} ({values});"
