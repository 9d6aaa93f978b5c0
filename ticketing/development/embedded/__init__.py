"""The PostgreSQL and Valkey that come with the default run. Standard library only.

For development: on real servers set DATABASE_URL and REDIS_URL (docs/operations.md).
"""

from ticketing.development.embedded.places import Addresses, addresses, celery_url, secret_key
