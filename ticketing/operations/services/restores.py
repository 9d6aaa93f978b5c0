"""Restores a backup into an empty installation.

What happened after the backup is only known elsewhere: Redis must be empty, since it would know
people and seats that the database does not, and the gateway is asked what it charged.
"""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils.timezone import localtime

from payments import services as payments
from reservations import services as reservations
from ticketing.development.embedded.errors import CannotRun
from ticketing.events.models import Event
from ticketing.operations import store
from ticketing.operations.backup_files import DATABASE, MEDIA, Description
from ticketing.operations.postgres_programs import run_program
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue


@dataclass(frozen=True)
class Restored:
    backup: Description
    queues: dict[int, int]  # people by event
    events: list[int]
    differences: list[tuple[date, payments.Difference]]


def restore_backup(*, folder: Path, clear_redis: bool, now: datetime) -> Restored:
    """Restore, migrate, rebuild queues and gates, and reconcile the money since the backup."""
    backup = Description.read(folder)
    backup.require_intact(folder)
    backup.require_known_migrations()
    _require_empty_installation(clear_redis)
    run_program(
        *("pg_restore", "--exit-on-error", "--single-transaction"),
        *("--no-owner", "--no-privileges", folder / DATABASE),
    )
    call_command("migrate", interactive=False, verbosity=0)
    if (folder / MEDIA).exists():
        with tarfile.open(folder / MEDIA) as archive:
            # Debian 12's Python has no filters yet; a backup is trusted as its database is.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(settings.MEDIA_ROOT)  # noqa: S202
    return Restored(
        backup=backup,
        queues=dict(_rebuild_queues(now)),
        events=_rebuild_gates(now),
        differences=list(_reconcile(datetime.fromisoformat(backup.made_at), now)),
    )


def _require_empty_installation(clear_redis: bool) -> None:
    if tables := connection.introspection.table_names():
        raise CannotRun(
            f"The database has {len(tables)} tables already: restore into an empty one "
            "(createdb), and stop all processes first."
        )
    if clear_redis:
        store.clear()
    if not store.is_empty():
        raise CannotRun(
            "Redis is not empty, and knows what the backup does not. Stop all processes, and add "
            "--clear-redis: the line is rebuilt from the backup."
        )


def _rebuild_queues(now: datetime) -> Iterator[tuple[int, int]]:
    started = SaleQueue.objects.filter(state__in=SaleQueue.RUNNING).exclude(epoch="")
    for event_id in started.order_by("pk").values_list("pk", flat=True):
        yield (
            event_id,
            queues.rebuild_queue_on_request(
                event_id=event_id, by=None, why="restored from a backup", now=now
            ),
        )


def _rebuild_gates(now: datetime) -> list[int]:
    on_sale = Event.objects.filter(state=Event.State.ON_SALE).order_by("pk")
    events = list(on_sale.values_list("pk", flat=True))
    for event_id in events:
        reservations.rebuild_gate(event_id=event_id, now=now)
    return events


def _reconcile(made_at: datetime, now: datetime) -> Iterator[tuple[date, payments.Difference]]:
    """From the day of the backup on: payments that began before it may have ended after it.

    Of earlier ones, those that the gateway has changed since the backup, as by a refund.
    """
    day, last = localtime(made_at).date(), localtime(now).date()
    for difference in payments.reconcile_earlier(day=day, since=made_at, now=now):
        yield day, difference
    while day <= last:
        for difference in payments.reconcile(day=day, now=now, mend=True):
            yield day, difference
        day += timedelta(days=1)
