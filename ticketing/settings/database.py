"""PostgreSQL."""

from ticketing.core.server_addresses import database_settings
from ticketing.development import embedded
from ticketing.settings.environment import VAR_DIR, env

DATABASE_URL = env.text(
    "DATABASE_URL",
    embedded.addresses(VAR_DIR).database_url,
    "PostgreSQL to use, by default the embedded one; several hosts for a failover.",
)
DATABASE_TIMEOUT = env.number(
    "DATABASE_TIMEOUT", 5, "Seconds after which a page does not wait for PostgreSQL any longer."
)
DATABASES = {
    "default": database_settings(
        DATABASE_URL,
        conn_max_age=600,  # a new one prepares dozens of statements again
        conn_health_checks=True,
        engine="ticketing.core.postgresql",
    )
}
