"""Sessions: true in PostgreSQL, read from Redis. Reading one costs no SQL while Redis has it."""

import logging
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.cached_db import SessionStore as CachedDbStore

from ticketing.accounts.models import Session
from ticketing.core.error_responses import OUTAGES

log = logging.getLogger(__name__)


class SessionStore(CachedDbStore):
    cache_key_prefix = "session:"

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session: Session = super().create_model_instance(data)
        session.user_id = data.get(SESSION_KEY)
        return session

    def load(self) -> dict[str, Any]:
        """From Redis; from PostgreSQL when Redis does not have it or can't be reached."""
        try:
            return super().load()
        except OUTAGES as outage:
            log.warning("A session was read from the database: %s", outage)
            return self._load_from_database()

    def _load_from_database(self) -> dict[str, Any]:
        row = self._get_session_from_db()
        return self.decode(row.session_data) if row else {}
