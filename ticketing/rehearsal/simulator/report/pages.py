"""A report as one file that opens from a disk: words, charts and style, and nothing to load."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.template.loader import render_to_string
from django.utils.timezone import localtime
from django.utils.translation import get_language

from ticketing.rehearsal.simulator.history import Evidence
from ticketing.rehearsal.simulator.judge import Limits, Verdict
from ticketing.rehearsal.simulator.report import words
from ticketing.rehearsal.simulator.report.charts import charts_of, clock
from ticketing.rehearsal.simulator.report.documents import is_ok
from ticketing.rehearsal.simulator.report.figures import Fault, figures_of


def as_html(evidence: Evidence, verdicts: Sequence[Verdict], limits: Limits) -> str:
    """In the language that is on."""
    found, judged, setting = figures_of(evidence), list(verdicts), evidence.setting
    title = setting.get("title") or {}
    context = {
        "language": get_language() or "en",
        "title": title.get((get_language() or "en")[:2]) or title.get("en") or "",
        "code": setting.get("code", ""),
        "began": _local(setting.get("server_time")),
        "seconds": clock(found.seconds),
        "ok": is_ok(judged),
        "banner": words.banner(judged),
        "unrehearsed": words.unrehearsed(judged),
        "counts": found.counts,
        "verdicts": [(verdict, words.result(verdict)) for verdict in judged],
        "charts": charts_of(found),
        "limits": [words.limit_row(limit) for limit in limits.limits],
        "bottleneck": limits.bottleneck,
        "advice": limits.advice,
        "people": people_table(found.people),
        "faults": [fault_row(fault) for fault in found.faults],
        "pauses": [words.pause(*pause) for pause in found.pauses],
        "settings": words.setting_rows(setting),
    }
    return render_to_string("rehearsal/report.html", context)


def _local(moment: str | None) -> str:
    return f"{localtime(datetime.fromisoformat(moment)):%Y-%m-%d %H:%M}" if moment else ""


def people_table(people: dict[str, Counter[str]]) -> dict[str, Any]:
    """Kinds of people by how they ended, with sums both ways."""
    ends = [end for end in words.ENDS if any(theirs[end] for theirs in people.values())]
    ends += sorted({end for theirs in people.values() for end in theirs} - set(words.ENDS))
    rows = [
        (words.character(kind), [theirs[end] for end in ends], theirs.total())
        for kind, theirs in people.items()
    ]
    sums = [sum(theirs[end] for theirs in people.values()) for end in ends]
    return {"ends": [words.end(end) for end in ends], "rows": rows, "sums": sums, "all": sum(sums)}


def fault_row(fault: Fault) -> dict[str, Any]:
    return {
        "letter": fault.letter,
        "words": words.fault(fault.name, fault.words),
        "began": clock(fault.began),
        "lasted": f"{fault.ended - fault.began:.1f}",
        "whole": fault.whole,
        "silent": fault.silent,
        "errors": fault.errors,
    }
