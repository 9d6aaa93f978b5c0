"""Celery: its broker, its workers' queues and its beat."""

from ticketing.core.server_addresses import SENTINEL, SentinelAddress, celery_options
from ticketing.development import embedded
from ticketing.settings.environment import VAR_DIR, env
from ticketing.settings.redis import REDIS_TIMEOUT, REDIS_URL

BROKER_URL = env.text("BROKER_URL", REDIS_URL, "Redis of Celery, if it has one of its own.")
CELERY_BROKER_URL = (
    SentinelAddress.parse(BROKER_URL).celery_url()
    if BROKER_URL.startswith(SENTINEL)
    else embedded.celery_url(BROKER_URL)
)
CELERY_BROKER_TRANSPORT_OPTIONS = celery_options(BROKER_URL, REDIS_TIMEOUT)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None

CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# The tick, payments and mails have workers of their own: nothing may delay the tick, a slow gateway
# must not delay the return of seats, and a slow mail server must not delay payments.
CELERY_TASK_ROUTES = {
    "queue.tick": {"queue": "tick"},
    "reservations.process_hold_requests": {"queue": "holds"},
    "payments.resume": {"queue": "payments"},
    "payments.refund_cancelled_events": {"queue": "payments"},
    "console.reconcile_day": {"queue": "payments"},
    "payments.deliver": {"queue": "mail"},
    "accounts.mail_*": {"queue": "mail"},
}

CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False  # mails printed by the console backend stay readable

CELERY_TIMEZONE = "Asia/Seoul"
CELERY_BEAT_SCHEDULER = "ticketing.core.schedule.scheduler:SharedScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
