"""How fast PostgreSQL answers."""

from django.db import connection

from ticketing.core import clock

LONGEST_WAIT = """
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)) * 1000, 0)
FROM pg_stat_activity
WHERE datname = current_database() AND state = 'active' AND wait_event_type IN ('Lock', 'LWLock')
"""
CONNECTIONS = """
SELECT count(*), current_setting('max_connections')::int
FROM pg_stat_activity WHERE backend_type = 'client backend'
"""


def database_connections() -> tuple[int, int]:
    """How many there are of all programs, and how many PostgreSQL allows."""
    with connection.cursor() as cursor:
        cursor.execute(CONNECTIONS)
        used, allowed = cursor.fetchone()
    return used, allowed


def database_times() -> dict[str, float]:
    """Response time of PostgreSQL, and the longest current wait for a lock, in milliseconds."""
    began = clock.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(LONGEST_WAIT)
        (waited,) = cursor.fetchone()
    took = 1000 * (clock.monotonic() - began)
    return {"database_ms": round(took, 2), "lock_ms": round(float(waited), 1)}
