"""How long data is kept."""

from ticketing.settings.environment import env

RETENTION_ORDERS_YEARS = env.number(
    "RETENTION_ORDERS_YEARS",
    5,
    "Years that orders of a deleted account stay connected with each other, as the law asks.",
)
RETENTION_JOURNAL = env.number(
    "RETENTION_JOURNAL", 365, "Days after an event that its queue's journal is kept."
)
RETENTION_APPEALS = env.number(
    "RETENTION_APPEALS", 1095, "Days after an event that appeals against blocks are kept."
)
RETENTION_WEBHOOKS = env.number(
    "RETENTION_WEBHOOKS", 90, "Days that received webhooks are kept, with their bodies."
)
RETENTION_OUTBOX = env.number(
    "RETENTION_OUTBOX", 90, "Days that delivered and undeliverable outgoing messages are kept."
)
RETENTION_REQUESTS = env.number(
    "RETENTION_REQUESTS", 30, "Days that finished asynchronous requests for seats are kept."
)
RETENTION_SECURITY_LOG = env.number(
    "RETENTION_SECURITY_LOG", 365, "Days that the security log is kept."
)
RETENTION_ADMIN_LOG = env.number(
    "RETENTION_ADMIN_LOG", 1095, "Days that the admin's own log of changes is kept."
)
RETENTION_CHECK_INS = env.number(
    "RETENTION_CHECK_INS", 365, "Days after an event that its check-ins are kept."
)
RETENTION_TRANSFERS = env.number(
    "RETENTION_TRANSFERS", 365, "Days that ended offers of tickets are kept, with their addresses."
)
RETENTION_SIGNALS = env.number(
    "RETENTION_SIGNALS", 90, "Days that signals of places in line are kept."
)
RETENTION_TOKENS = env.number(
    "RETENTION_TOKENS", 90, "Days that expired and revoked API tokens are kept."
)
RETENTION_EXPORTS = env.number(
    "RETENTION_EXPORTS", 7, "Days that an export of personal data can be downloaded."
)
