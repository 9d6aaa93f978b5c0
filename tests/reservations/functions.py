"""Controls of database functions: the same function with something taken out of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from reservations import sql


@contextmanager
def changed_function(name: str, *changes: tuple[str, str]) -> Iterator[None]:
    """Install the function with (before, after) replaced; afterwards it is as it was."""
    text = sql.statement(name)
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    _install(text)
    try:
        yield
    finally:
        _install(sql.statement(name))


def _install(text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(text)
