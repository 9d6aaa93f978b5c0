"""The report as JSON; its keys are documented in docs/rehearsal.md and stay."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ticketing.rehearsal.simulator.history import Evidence
from ticketing.rehearsal.simulator.judge import LoadLimit, LoadLimits, Verdict
from ticketing.rehearsal.simulator.report.figures import Figures, figures_of

VERSION = 1
SETTINGS = (
    *("code", "event", "source", "title", "fans", "minutes", "profile", "faults", "seed"),
    "identity_level",
    *("limit_per_person", "hold_seconds", "seats", "payments", "knobs", "embedded", "version"),
)


def as_json(evidence: Evidence, verdicts: Sequence[Verdict], limits: LoadLimits) -> dict[str, Any]:
    figures = figures_of(evidence)
    return {
        "report": VERSION,
        "ok": is_ok(verdicts),
        "settings": {name: evidence.setting.get(name) for name in SETTINGS},
        "machine": evidence.setting.get("machine", {}),
        "seconds": round(figures.seconds, 1),
        "counts": figures.counts,
        "shares": figures.shares,
        "verdicts": [verdict_body(verdict) for verdict in verdicts],
        "limits": limits_body(limits),
        "people": {persona: dict(ends) for persona, ends in figures.people.items()},
        "faults": [asdict(fault) for fault in figures.faults],
        "pauses": [{"began": began, "ended": ended} for began, ended in figures.pauses],
        "series": series_body(figures),
    }


def is_ok(verdicts: Sequence[Verdict]) -> bool:
    """Whether all promises that were rehearsed hold, and at least one was."""
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
        "detail": [str(sentence) for sentence in verdict.detail],
    }


def limits_body(limits: LoadLimits) -> dict[str, Any]:
    return {
        "reached": limits.reached,
        "bottleneck": str(limits.bottleneck),
        "advice": str(limits.advice),
        "kinds": {limit.name: limit_body(limit) for limit in limits.limits},
    }


def limit_body(limit: LoadLimit) -> dict[str, Any]:
    return {
        "target_ms": round(limit.target * 1000),
        "best": limit.best,
        "best_at": limit.best_at,
        "passed": asdict(limit.exceeded) if limit.exceeded else None,
    }


def series_body(figures: Figures) -> dict[str, Any]:
    """Pairs of seconds since the beginning and values."""
    return {
        "line": figures.line,
        "admissions": figures.admissions,
        "inside": figures.inside,
        "latency_ms": figures.latency,
        "waits": figures.waits,
        "sold_percent": figures.sold,
        "errors": figures.errors,
    }
