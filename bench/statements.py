"""Counts the SQL statements that PostgreSQL ran, by its extension pg_stat_statements."""

import re
from typing import Any

import psycopg

from tests.faults.site import until

# What begins and ends transactions is left out, and what is ours.
LEFT_OUT = re.compile(
    r"\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|RESET|DEALLOCATE|PREPARE|DISCARD)\b"
    r"|.*\bpg_stat_statements",
    re.IGNORECASE | re.DOTALL,
)
# Deferred foreign keys are checked at commit; nobody sent these.
FOREIGN_KEY_CHECK = re.compile(r"SELECT \S+ FROM ONLY .* FOR KEY SHARE", re.DOTALL)
RUNNING = """
    SELECT count(*) FROM pg_stat_activity
    WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


class StatementCounter:
    def __init__(self, database_url: str) -> None:
        self.connection: Any = psycopg.connect(database_url, autocommit=True)
        self.connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")

    def reset(self) -> None:
        """Count from now, when no other session runs a statement any more."""
        until(lambda: not self.connection.execute(RUNNING).fetchone()[0], seconds=30)
        self.connection.execute("SELECT pg_stat_statements_reset()")

    def calls(self) -> dict[str, int]:
        """How often each statement ran since the reset."""
        rows = self.connection.execute(
            "SELECT query, sum(calls)::int FROM pg_stat_statements WHERE toplevel GROUP BY query"
        )
        return {query: calls for query, calls in rows if not LEFT_OUT.match(query)}


def sent(calls: dict[str, int]) -> dict[str, int]:
    """The statements that the site sent, without what PostgreSQL ran by itself."""
    return {query: n for query, n in calls.items() if not FOREIGN_KEY_CHECK.match(query)}
