"""A report as JSON, with keys that stay (docs/rehearsal.md)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ticketing.rehearsal.simulator.history import Evidence
from ticketing.rehearsal.simulator.judge import Limit, Limits, Verdict
from ticketing.rehearsal.simulator.report.figures import Figures, figures_of

VERSION = 1
SETTINGS = (
    *("code", "event", "source", "title", "fans", "minutes", "profile", "faults", "seed"),
    *("limit_per_person", "hold_seconds", "seats", "payments", "knobs", "embedded", "version"),
)


def as_json(evidence: Evidence, verdicts: Sequence[Verdict], limits: Limits) -> dict[str, Any]:
    found = figures_of(evidence)
    return {
        "report": VERSION,
        "ok": is_ok(verdicts),
        "settings": {name: evidence.setting.get(name) for name in SETTINGS},
        "machine": evidence.setting.get("machine", {}),
        "seconds": round(found.seconds, 1),
        "counts": found.counts,
        "verdicts": [verdict_body(verdict) for verdict in verdicts],
        "limits": limits_body(limits),
        "people": {character: dict(ends) for character, ends in found.people.items()},
        "faults": [asdict(fault) for fault in found.faults],
        "pauses": [{"began": began, "ended": ended} for began, ended in found.pauses],
        "series": series_body(found),
    }


def is_ok(verdicts: Sequence[Verdict]) -> bool:
    """All that was rehearsed holds, and something was."""
    held = [verdict.holds for verdict in verdicts if verdict.holds is not None]
    return bool(held) and all(held)


def verdict_body(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.name,
        "title": str(verdict.title),
        "holds": verdict.holds,
        "checked": verdict.checked,
        "found": verdict.found,
        "counterexample": str(verdict.counterexample) if verdict.counterexample else None,
        "detail": [str(words) for words in verdict.detail],
    }


def limits_body(limits: Limits) -> dict[str, Any]:
    return {
        "reached": limits.reached,
        "bottleneck": str(limits.bottleneck),
        "advice": str(limits.advice),
        "kinds": {limit.name: limit_body(limit) for limit in limits.limits},
    }


def limit_body(limit: Limit) -> dict[str, Any]:
    return {
        "target_ms": round(limit.target * 1000),
        "best": limit.best,
        "best_at": limit.best_at,
        "passed": asdict(limit.passed) if limit.passed else None,
    }


def series_body(found: Figures) -> dict[str, Any]:
    """Pairs of seconds since the beginning and values."""
    return {
        "line": found.line,
        "admissions": found.admissions,
        "inside": found.inside,
        "latency_ms": found.latency,
        "waits": found.waits,
        "sold_percent": found.sold,
        "errors": found.errors,
    }
