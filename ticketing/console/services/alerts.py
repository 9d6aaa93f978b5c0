"""Alerts on the admin's start page, each with a link to the page where it can be handled."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from redis.exceptions import RedisError

from payments.models import OutboxMessage, Payment, Refund
from payments.selectors import breaker_state
from ticketing.accounts.models import User
from ticketing.console import selectors, store
from ticketing.console.models import Reconciliation
from ticketing.console.services.roles import BLOCK_PEOPLE, WATCH
from ticketing.events.selectors import is_rehearsal
from waiting_queue import selectors as queues
from waiting_queue.models import BlockAppeal

# A payment is stuck if nothing has processed it this long after it was due.
STUCK_AFTER = timedelta(minutes=2)
LATE_TICK_SECONDS = 5
FULL = 0.85
# Refused refunds and differences are shown this long.
SHOWN_FOR = timedelta(days=7)
EXPECTED_PROCESSES = ("web", "worker", "payer", "mailer", "ticker", "beat")


@dataclass(frozen=True)
class Alert:
    text: str
    link: str = ""


def alerts_for(user: User, *, now: datetime) -> list[Alert]:
    """The alerts that this user has the permission to see."""
    alerts: list[Alert] = []
    for permission, check in CHECKS:
        if user.has_perm(permission):
            alerts += check(now)
    return alerts


def _payments(now: datetime) -> Iterator[Alert]:
    under_way = (*Payment.OPEN, Payment.State.REFUNDING)
    overdue = Payment.objects.filter(state__in=under_way, due_at__lt=now - STUCK_AFTER)
    # While the gateway is away all are due, and wait for the breaker (async_settlement.py).
    is_paused = breaker_state().state != "closed"
    if not is_paused and (stuck := _count(overdue, "reservation__event_id")):
        link = reverse("admin:payments_payment_changelist") + "?o=-7"
        text = ngettext("%(n)s payment is stuck.", "%(n)s payments are stuck.", stuck)
        yield Alert(text % {"n": stuck}, link)
    recent = Refund.objects.filter(state=Refund.State.REFUSED, ended_at__gt=now - SHOWN_FOR)
    if refused := _count(recent, "payment__reservation__event_id"):
        link = reverse("admin:payments_refund_changelist") + "?state__exact=refused"
        text = ngettext(
            "%(n)s refund was refused by the gateway.",
            "%(n)s refunds were refused by the gateway.",
            refused,
        )
        yield Alert(text % {"n": refused}, link)
    yield from _breaker()


def _count(rows: QuerySet[Any], event: str) -> int:
    """How many of these rows belong to real events; `event` is the path to the event's id."""
    by_event = rows.order_by().values_list(event).annotate(Count("pk"))
    return sum(count for event_id, count in by_event if not is_rehearsal(event_id))


def _breaker() -> Iterator[Alert]:
    try:
        word = breaker_state().state
    except RedisError:
        return  # _servers reports it
    if word != "closed":
        text = _("The payment gateway fails: payments are paused and tried again.")
        yield Alert(text, reverse("admin:payments_payment_changelist"))


def _undelivered_messages(now: datetime) -> Iterator[Alert]:
    if dead := _count(OutboxMessage.objects.filter(state=OutboxMessage.State.DEAD), "body__event"):
        link = reverse("admin:payments_outboxmessage_changelist") + "?state__exact=dead"
        text = ngettext(
            "%(n)s message could not be delivered.", "%(n)s messages could not be delivered.", dead
        )
        yield Alert(text % {"n": dead}, link)


def _reconciliations(now: datetime) -> Iterator[Alert]:
    recent = Reconciliation.objects.filter(at__gt=now - SHOWN_FOR).exclude(differences=[])
    for found in recent.order_by("-day"):
        text = ngettext(
            "%(day)s: %(n)s difference between our books, the gateway and the seats.",
            "%(day)s: %(n)s differences between our books, the gateway and the seats.",
            len(found.differences),
        )
        params = {"day": found.day.isoformat(), "n": len(found.differences)}
        link = reverse("console:reconciliation", args=[found.day.isoformat()])
        yield Alert(text % params, link)


def _ticks(now: datetime) -> Iterator[Alert]:
    running = [queue for queue in selectors.running_queues() if not is_rehearsal(queue.pk)]
    for queue, overview in zip(running, queues.overviews(running, now=now).values(), strict=True):
        link = reverse("console:event", args=[queue.pk])
        if not overview.reachable:
            yield Alert(_("%(sale)s: Redis can’t be reached.") % {"sale": queue}, link)
        elif overview.tick_age is None or overview.tick_age > LATE_TICK_SECONDS:
            yield Alert(_("%(sale)s: ticks are missed, nobody is called.") % {"sale": queue}, link)


def _appeals(now: datetime) -> Iterator[Alert]:
    """One alert for each sale."""
    appeals = BlockAppeal.objects.filter(state=BlockAppeal.State.OPEN)
    waiting = {appeal.queue for appeal in appeals.select_related("queue__event")}
    for queue in waiting:
        if is_rehearsal(queue.pk):
            continue
        link = reverse("console:event", args=[queue.pk]) + "#appeals"
        text = _("%(sale)s: blocked people wait for an answer.") % {"sale": queue}
        yield Alert(text, link)


def _approvals(now: datetime) -> Iterator[Alert]:
    if waiting := selectors.open_approvals(now).count():
        text = ngettext(
            "%(n)s request waits for a second person.",
            "%(n)s requests wait for a second person.",
            waiting,
        )
        yield Alert(text % {"n": waiting}, reverse("console:approvals"))


def _servers(now: datetime) -> Iterator[Alert]:
    disk = shutil.disk_usage(settings.VAR_DIR if settings.VAR_DIR.exists() else "/")
    if disk.used / disk.total > FULL:
        free = f"{disk.free / 2**30:.1f}"
        yield Alert(_("The disk is nearly full: %(free)s GB are left.") % {"free": free})
    link = reverse("console:overview")
    try:
        memory, processes = store.memory(), store.processes(now)
    except RedisError:
        yield Alert(_("Redis can’t be reached."), link)
        return
    if memory.share > FULL:
        text = _("Redis has used %(share)s %% of its memory.")
        yield Alert(text % {"share": round(100 * memory.share)}, link)
    alive = {process.kind for process in processes if not process.is_silent}
    missing = [kind for kind in EXPECTED_PROCESSES if kind not in alive]
    if missing:
        text = _("No sign of life from: %(kinds)s.")
        yield Alert(text % {"kinds": ", ".join(missing)}, link)


# Each check with the permission for the page that its alerts link to.
CHECKS: list[tuple[str, Callable[[datetime], Iterator[Alert]]]] = [
    (WATCH, _ticks),
    (WATCH, _servers),
    (WATCH, _approvals),
    (BLOCK_PEOPLE, _appeals),
    ("payments.view_payment", _payments),
    ("payments.view_outboxmessage", _undelivered_messages),
    ("console.view_reconciliation", _reconciliations),
]
