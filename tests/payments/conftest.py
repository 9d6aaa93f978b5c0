"""Tables are emptied between tests without making them anew: that took longer than most tests."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import TransactionTestCase

# Made once with the tables, and never changed by a test of payments.
KEPT = frozenset(
    {
        *("django_migrations", "django_content_type", "auth_permission"),
        *("auth_group", "auth_group_permissions"),
    }
)
# For this one statement nothing that refers to a row, and no trigger, is asked.
EMPTY = """
DO $$
DECLARE name text;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOREACH name IN ARRAY ARRAY[{names}] LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
END $$
"""


def empty_tables(_: TransactionTestCase) -> None:
    names = sorted(set(connection.introspection.table_names()) - KEPT)
    with connection.cursor() as cursor:
        cursor.execute(EMPTY.format(names=", ".join(f"'{name}'" for name in names)))


@pytest.fixture(autouse=True, scope="package")
def _quick_end() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        yield
