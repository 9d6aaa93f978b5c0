"""The Celery app and its schedule."""

import logging
import os
from typing import Any

from celery import Celery
from celery.fixups.django import DjangoWorkerFixup
from celery.schedules import crontab
from django.conf import settings
from django.db import close_old_connections

from ticketing.core.metrics.task_signals import timed_task

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings")
# Celery's command takes BROKER_URL from the environment as it is; the settings translate it.
os.environ.pop("CELERY_BROKER_URL", None)

# Celery closes the database connection before and after every task. As between requests, this
# closes only what failed or is older than CONN_MAX_AGE.
DjangoWorkerFixup.close_database = lambda *args, **kwargs: close_old_connections()

app = Celery("ticketing")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

log = logging.getLogger(__name__)


@app.task(name="ticketing.run_tasks")
def run_tasks(*names: str) -> None:
    """Run scheduled tasks in turn. A message costs more than a task that finds nothing to do."""
    for name in names:
        try:
            with timed_task(name):
                app.tasks[name].run()
        except Exception:
            log.exception("The scheduled task %s failed.", name)
            close_old_connections()  # the next task gets a new one, if it was lost


def every(seconds: float, *names: str) -> dict[str, Any]:
    """One message for these tasks of the worker. One that waited longer than its interval is
    dropped: the next one does its work."""
    return {
        "task": "ticketing.run_tasks",
        "schedule": seconds,
        "args": names,
        "options": {"expires": seconds},
    }


app.conf.beat_schedule = {
    "tick-queues": {
        "task": "queue.tick",
        "schedule": 1.0,  # or TICK_MS
        "options": {"expires": 1},
    },
    # Quick tasks first. Each hold request wakes a worker; the last one covers lost wake-ups.
    "every-second": every(
        1.0,
        "ticketing.open_due_sales",
        "reservations.expire_holds",
        "reservations.update_sold_out",
        "console.sample",
        "queue.drain_journals",
        "reservations.process_hold_requests",
    ),
    "every-five-seconds": every(
        5.0,
        "console.run_autopilot",
        "reservations.release_abandoned_holds",
        "reservations.complete_finished_passes",
        "queue.reconcile_blocks",
        "queue.drain_signals",
        "reservations.mark_people_at_limit",
        "reservations.process_returned_seats",
        "reservations.recount_events_on_sale",
        "reservations.assign_entry_numbers",
        "console.expire_approvals",
    ),
    "resume-payments": {
        "task": "payments.resume",
        "schedule": 2.0,
        "options": {"expires": 2},
    },
    "deliver-messages": {
        "task": "payments.deliver",
        "schedule": 2.0,
        "options": {"expires": 2},
    },
    "refund-cancelled-events": {
        "task": "payments.refund_cancelled_events",
        "schedule": 30.0,
        "options": {"expires": 30},
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
    "purge-old-data": {
        "task": "privacy.purge",
        "schedule": crontab(hour=3, minute=30),
        "options": {"expires": 3600},
    },
    "mail-security-notices": {
        "task": "accounts.mail_notices",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "delete-expired-sessions": {
        "task": "accounts.delete_expired_sessions",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
}


@app.on_after_configure.connect
def set_tick_interval(sender: Celery, **_: Any) -> None:
    """Not above, because importing this module must not load the settings."""
    seconds = settings.TICK_MS / 1_000
    sender.conf.beat_schedule["tick-queues"] |= {
        "schedule": seconds,
        "options": {"expires": seconds},
    }
