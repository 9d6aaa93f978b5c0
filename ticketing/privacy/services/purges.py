"""The nightly purge: data that is older than its retention, in small batches, with a report."""

import logging
from datetime import datetime

from ticketing.accounts.models import PurgeRun
from ticketing.core import clock
from ticketing.privacy.retention import RULES, Rule

log = logging.getLogger(__name__)
# Batches of one kind in one night; the rest follows in the next ones.
MAX_BATCHES = 500


def purge(*, now: datetime) -> PurgeRun:
    """Purge every kind; what fails is reported, and does not keep the others from being purged."""
    run = PurgeRun.objects.create(began_at=now)
    failed = []
    for rule in RULES:
        try:
            run.counts[rule.kind] = _purge_kind(rule, now)
        except Exception as problem:
            log.exception("purge of %s failed", rule.kind)
            failed.append(f"{rule.kind}: {type(problem).__name__}")
        run.ended_at, run.error = clock.now(), ", ".join(failed)[:300]
        run.save()
    log.info("purged %s", {kind: count for kind, count in run.counts.items() if count})
    return run


def counts_due(*, now: datetime) -> dict[str, int]:
    """What a purge would delete now."""
    return {rule.kind: rule.rows(now).count() for rule in RULES}


def _purge_kind(rule: Rule, now: datetime) -> int:
    total = 0
    for _ in range(MAX_BATCHES):
        count = rule.purge_batch(now)
        total += count
        if not count:
            break
    return total
