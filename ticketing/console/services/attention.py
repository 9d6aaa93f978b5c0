"""What needs somebody's attention, each with the place where it can be seen to."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from payments.models import OutboxMessage, Payment, Refund
from payments.selectors import breaker_state
from ticketing.accounts.models import User
from ticketing.console import selectors, store
from ticketing.console.models import Reconciliation
from ticketing.console.roles import BLOCK_PEOPLE, WATCH
from ticketing.events.models import REHEARSALS_FROM, is_rehearsal
from waiting_queue import services as queues
from waiting_queue.models import BlockAppeal

# A payment that nobody has looked at for so long after it was due is stuck.
STUCK = timedelta(minutes=2)
LATE_TICK = 5
FULL = 0.85
# So long a difference is shown after it was found.
SHOWN = timedelta(days=7)
EXPECTED = ("web", "worker", "payer", "ticker", "beat")


@dataclass(frozen=True)
class Trouble:
    words: str
    link: str = ""


def attention_for(user: User, *, now: datetime) -> list[Trouble]:
    """As much of it as this person may see."""
    found: list[Trouble] = []
    for permission, look in LOOKS:
        if user.has_perm(permission):
            found += look(now)
    return found


def _payments(now: datetime) -> Iterator[Trouble]:
    under_way = (*Payment.OPEN, Payment.State.REFUNDING)
    real = Payment.objects.filter(reservation__event_id__lt=REHEARSALS_FROM)
    stuck = real.filter(state__in=under_way, due_at__lt=now - STUCK).count()
    if stuck:
        link = reverse("admin:payments_payment_changelist") + "?o=-7"
        yield Trouble(_("%(n)s payments are stuck.") % {"n": stuck}, link)
    refused = Refund.objects.filter(
        state=Refund.State.REFUSED, ended_at__gt=now - SHOWN, payment__in=real
    ).count()
    if refused:
        link = reverse("admin:payments_refund_changelist") + "?state__exact=refused"
        yield Trouble(_("%(n)s refunds were refused by the gateway.") % {"n": refused}, link)
    yield from _breaker()


def _breaker() -> Iterator[Trouble]:
    try:
        word = breaker_state().state
    except RedisError:
        return  # said elsewhere
    if word != "closed":
        words = _("The payment gateway fails: payments are paused and tried again.")
        yield Trouble(words, reverse("admin:payments_payment_changelist"))


def _letters(now: datetime) -> Iterator[Trouble]:
    real = Q(body__event__isnull=True) | Q(body__event__lt=REHEARSALS_FROM)
    dead = OutboxMessage.objects.filter(real, state=OutboxMessage.State.DEAD).count()
    if dead:
        link = reverse("admin:payments_outboxmessage_changelist") + "?state__exact=dead"
        yield Trouble(_("%(n)s messages could not be delivered.") % {"n": dead}, link)


def _books(now: datetime) -> Iterator[Trouble]:
    recent = Reconciliation.objects.filter(at__gt=now - SHOWN).exclude(differences=[])
    for kept in recent.order_by("-day"):
        words = _("%(day)s: %(n)s differences between our books, the gateway and the seats.")
        told = {"day": kept.day.isoformat(), "n": len(kept.differences)}
        link = reverse("admin:console_reconciliation_change", args=[kept.day.isoformat()])
        yield Trouble(words % told, link)


def _ticks(now: datetime) -> Iterator[Trouble]:
    running = [queue for queue in selectors.running_queues() if not is_rehearsal(queue.pk)]
    for queue, seen in zip(running, queues.overviews(running, now=now).values(), strict=True):
        link = reverse("console:event", args=[queue.pk])
        if not seen.reachable:
            yield Trouble(_("%(sale)s: Redis can’t be reached.") % {"sale": queue}, link)
        elif seen.tick_age is None or seen.tick_age > LATE_TICK:
            yield Trouble(
                _("%(sale)s: ticks are missed, nobody is called.") % {"sale": queue}, link
            )


def _appeals(now: datetime) -> Iterator[Trouble]:
    """One line for each sale."""
    waiting = BlockAppeal.objects.filter(
        state=BlockAppeal.State.OPEN, queue_id__lt=REHEARSALS_FROM
    ).select_related("queue__event")
    for queue in {appeal.queue for appeal in waiting}:
        link = reverse("console:event", args=[queue.pk]) + "#appeals"
        words = _("%(sale)s: blocked people wait for an answer.") % {"sale": queue}
        yield Trouble(words, link)


def _servers(now: datetime) -> Iterator[Trouble]:
    disk = shutil.disk_usage(settings.VAR_DIR if settings.VAR_DIR.exists() else "/")
    if disk.used / disk.total > FULL:
        free = f"{disk.free / 2**30:.1f}"
        yield Trouble(_("The disk is nearly full: %(free)s GB are left.") % {"free": free})
    link = reverse("console:overview")
    try:
        memory, living = store.memory(), store.processes(now)
    except RedisError:
        yield Trouble(_("Redis can’t be reached."), link)
        return
    if memory.share > FULL:
        words = _("Redis has used %(share)s %% of its memory.")
        yield Trouble(words % {"share": round(100 * memory.share)}, link)
    alive = {process.kind for process in living if not process.is_silent}
    missing = [kind for kind in EXPECTED if kind not in alive]
    if missing:
        words = _("No sign of life from: %(kinds)s.")
        yield Trouble(words % {"kinds": ", ".join(missing)}, link)


# Who is told: whoever may see the page where it can be seen to.
LOOKS: list[tuple[str, Callable[[datetime], Iterator[Trouble]]]] = [
    (WATCH, _ticks),
    (WATCH, _servers),
    (BLOCK_PEOPLE, _appeals),
    ("payments.view_payment", _payments),
    ("payments.view_outboxmessage", _letters),
    ("console.view_reconciliation", _books),
]
