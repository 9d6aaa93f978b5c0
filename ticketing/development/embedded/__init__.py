"""Embedded PostgreSQL and Valkey for development. Uses the standard library only.

On real servers set DATABASE_URL and REDIS_URL (docs/operations.md).
"""

from ticketing.development.embedded.paths import Addresses, addresses, celery_url, secret_key
