"""The Celery app and its schedule."""

import os

from celery import Celery
from celery.fixups.django import DjangoWorkerFixup
from celery.schedules import crontab
from django.db import close_old_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings")

# Celery closes the database connection before and after every task. As between requests, this
# closes only what failed or is older than CONN_MAX_AGE.
DjangoWorkerFixup.close_database = lambda *args, **kwargs: close_old_connections()

app = Celery("ticketing")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# A task that waited longer than its interval is dropped: the next one does its work.
app.conf.beat_schedule = {
    "open-due-sales": {
        "task": "ticketing.open_due_sales",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "tick-queues": {
        "task": "queue.tick",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "drain-journals": {
        "task": "queue.drain_journals",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "expire-holds": {
        "task": "reservations.expire_holds",
        "schedule": 2.0,
        "options": {"expires": 2},
    },
    "release-abandoned-holds": {
        "task": "reservations.release_abandoned_holds",
        "schedule": 2.0,
        "options": {"expires": 2},
    },
    "process-returned-seats": {
        "task": "reservations.process_returned_seats",
        "schedule": 2.0,
        "options": {"expires": 2},
    },
    "recount-events-on-sale": {
        "task": "reservations.recount_events_on_sale",
        "schedule": 5.0,
        "options": {"expires": 5},
    },
    # Each request wakes a worker; this covers lost wake-ups.
    "process-hold-requests": {
        "task": "reservations.process_hold_requests",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "resume-payments": {
        "task": "payments.resume",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "deliver-messages": {
        "task": "payments.deliver",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "refund-cancelled-events": {
        "task": "payments.refund_cancelled_events",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
    "sample-sales": {
        "task": "console.sample",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "run-autopilot": {
        "task": "console.run_autopilot",
        "schedule": 5.0,
        "options": {"expires": 5},
    },
    "clean-up-forgotten-rehearsals": {
        "task": "rehearsal.clean_up_forgotten",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "reconcile-yesterday": {
        "task": "console.reconcile",
        "schedule": crontab(hour=4, minute=0),
        "options": {"expires": 3600},
    },
    "delete-expired-sessions": {
        "task": "accounts.delete_expired_sessions",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
}
