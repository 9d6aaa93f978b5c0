"""The result of a rehearsal: verdicts, limits and the report, from its files alone."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils import translation

from ticketing.rehearsal.simulator import jepsen_files
from ticketing.rehearsal.simulator.history import Evidence, Folder
from ticketing.rehearsal.simulator.judge import (
    LoadLimits,
    Sentence,
    Verdict,
    load_limits,
    verdicts,
)
from ticketing.rehearsal.simulator.report.report_json import as_json

MAX_UPLOADED_HTML = 18_000_000  # a longer page is only kept as a file


@dataclass(frozen=True)
class Result:
    evidence: Evidence
    verdicts: list[Verdict]
    limits: LoadLimits
    report: dict[str, Any]

    @property
    def ok(self) -> bool:
        return bool(self.report["ok"])

    def upload(self, html: str) -> dict[str, Any]:
        """What the site keeps of it."""
        html = html if len(html) < MAX_UPLOADED_HTML else ""
        return {"ok": self.ok, "summary": self._summary(), "html": html, "json": self.report}

    def _summary(self) -> dict[str, Any]:
        return {
            "verdicts": [
                {
                    "name": verdict.name,
                    "words": str(verdict.title),
                    "checked": verdict.checked,
                    "holds": verdict.holds,
                    "counterexample": in_languages(verdict.counterexample),
                }
                for verdict in self.verdicts
            ]
        }


def in_languages(sentence: Sentence | None) -> dict[str, str] | None:
    """A sentence in each of the site's languages, as nobody knows who will read it."""
    if sentence is None:
        return None
    texts = {}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            texts[code] = str(sentence)
    return texts


def judge(evidence: Evidence) -> Result:
    judged, limits = verdicts(evidence), load_limits(evidence)
    return Result(evidence, judged, limits, as_json(evidence, judged, limits))


def judge_folder(folder: Folder) -> Result:
    """Judge a rehearsal's files; save the report and the history for other checkers beside them."""
    evidence = folder.evidence()
    jepsen_files.write_all(folder.path, evidence)
    result = judge(evidence)
    folder.save("report", result.report)
    return result
