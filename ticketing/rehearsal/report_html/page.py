"""The report as one HTML file that opens from a disk and loads nothing."""

from collections import Counter
from datetime import datetime
from typing import Any

from django.template.loader import render_to_string
from django.utils.timezone import localtime
from django.utils.translation import get_language

from ticketing.rehearsal.report_html import labels
from ticketing.rehearsal.report_html.charts import charts_of, minutes_seconds
from ticketing.rehearsal.simulator.report.figures import FaultFigures, figures_of
from ticketing.rehearsal.simulator.result import Result


def as_html(result: Result) -> str:
    """Render the report in the active language."""
    figures, verdicts, setting = (
        figures_of(result.evidence),
        result.verdicts,
        result.evidence.setting,
    )
    title, language = setting.get("title") or {}, get_language() or "en"
    context = {
        "language": language,
        "title": title.get(language[:2]) or title.get("en") or "",
        "code": setting.get("code", ""),
        "began": _local(setting.get("server_time")),
        "seconds": minutes_seconds(figures.seconds),
        "ok": result.ok,
        "banner": labels.banner(verdicts),
        "unrehearsed": labels.unrehearsed(verdicts),
        "counts": figures.counts,
        "shares": figures.shares,
        "verdicts": [(verdict, labels.result(verdict)) for verdict in verdicts],
        "charts": charts_of(figures),
        "limits": [labels.limit_row(limit) for limit in result.limits.limits],
        "bottleneck": result.limits.bottleneck,
        "advice": result.limits.advice,
        "people": people_table(figures.people),
        "faults": [fault_row(fault) for fault in figures.faults],
        "pauses": [labels.pause(*pause) for pause in figures.pauses],
        "settings": labels.setting_rows(setting),
    }
    return render_to_string("rehearsal/report.html", context)


def _local(moment: str | None) -> str:
    return f"{localtime(datetime.fromisoformat(moment)):%Y-%m-%d %H:%M}" if moment else ""


def people_table(people: dict[str, Counter[str]]) -> dict[str, Any]:
    """Personas by outcome, with sums both ways."""
    outcomes = [it for it in labels.OUTCOMES if any(theirs[it] for theirs in people.values())]
    outcomes += sorted({it for theirs in people.values() for it in theirs} - set(labels.OUTCOMES))
    rows = [
        (labels.persona(persona), [theirs[it] for it in outcomes], theirs.total())
        for persona, theirs in people.items()
    ]
    sums = [sum(theirs[it] for theirs in people.values()) for it in outcomes]
    names = [labels.outcome(it) for it in outcomes]
    return {"ends": names, "rows": rows, "sums": sums, "all": sum(sums)}


def fault_row(fault: FaultFigures) -> dict[str, Any]:
    return {
        "letter": fault.letter,
        "words": labels.fault(fault.name, fault.words),
        "began": minutes_seconds(fault.began),
        "lasted": f"{fault.ended - fault.began:.1f}",
        "whole": fault.whole,
        "silent": fault.silent,
        "errors": fault.errors,
    }
