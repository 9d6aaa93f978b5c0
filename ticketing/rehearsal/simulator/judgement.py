"""What becomes of a rehearsal's files: verdicts, limits, and the report."""

from dataclasses import dataclass
from typing import Any

from ticketing.rehearsal.simulator import judge as judging
from ticketing.rehearsal.simulator import report
from ticketing.rehearsal.simulator.history import Folder

NOT_UPLOADED = 18_000_000  # letters of HTML beyond which only the file is kept


@dataclass(frozen=True)
class Judgement:
    verdicts: list[judging.Verdict]
    told: dict[str, Any]
    html: str

    @property
    def holds(self) -> bool:
        """What could not be rehearsed does not count against it; but something must hold."""
        return all(it.holds is not False for it in self.verdicts) and any(
            it.holds for it in self.verdicts
        )

    def summary(self) -> dict[str, Any]:
        return {
            "verdicts": [
                {
                    "name": it.name,
                    "words": it.words,
                    "checked": it.checked,
                    "holds": it.holds,
                    "counterexample": str(it.counterexample or "") or None,
                }
                for it in self.verdicts
            ]
        }

    def upload(self) -> dict[str, Any]:
        html = self.html if len(self.html) < NOT_UPLOADED else ""
        return {"ok": self.holds, "summary": self.summary(), "html": html, "json": self.told}


def judge(folder: Folder) -> Judgement:
    """From the files alone, so that anybody can do it again."""
    evidence = folder.evidence()
    verdicts, limits = judging.verdicts(evidence), judging.limits(evidence)
    told = report.as_json(evidence, verdicts, limits)
    html = report.as_html(evidence, verdicts, limits)
    folder.keep("report", told)
    (folder.path / "report.html").write_text(html)
    return Judgement(verdicts, told, html)
