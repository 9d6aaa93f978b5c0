"""The files that a rehearsal leaves to be judged: what every user did, and the site's answers.

They are in one folder, so that anybody can judge the rehearsal again.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

_EPOCH = time.time() - time.monotonic()
encode_json = json.JSONEncoder(ensure_ascii=False).encode
# A number says its lane: lane * LANE_NUMBERS + the number within the lane, as in the journal.
LANE_NUMBERS = 10**10
RUNNER = -1  # the `user` of records that the runner made itself
# How a user's visit may end: the `state` of a record "end".
OUTCOMES = (
    *("bought", "gave_back", "left", "gave_up", "expired", "sold_out", "closed"),
    *("turned_away", "refused", "declined"),
)


def steady_time() -> float:
    """Seconds since 1970 by a clock that is never adjusted while a rehearsal runs."""
    return _EPOCH + time.monotonic()


@dataclass(frozen=True, slots=True)
class Record:
    """One call, pushed frame or event; times are from `steady_time`."""

    user: int
    action: str
    began: float
    ended: float
    status: int = 200  # of HTTP; 0 if there was no answer, so its effect is unknown
    code: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        return 200 <= self.status < 300

    @property
    def unknown(self) -> bool:
        return self.status == 0 or self.status >= 500


@dataclass(frozen=True)
class JournalEntry:
    """An entry of the queue's journal; times are the server's, in seconds since 1970.

    `at` is the time that the decision was made for; `done` is when it was carried out.
    """

    at: float
    person: int
    kind: str
    number: int
    leader: int | None = None  # of the party that the person waits or was called with
    done: float | None = None


def journal_line(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of the journal that the site returned, as it is kept."""
    names = [each.name for each in fields(JournalEntry)]
    times = {name: entry[name] for name in ("at", "done") if entry[name]}
    seconds = {name: datetime.fromisoformat(text).timestamp() for name, text in times.items()}
    return {name: entry[name] for name in names} | seconds


@dataclass(frozen=True)
class Evidence:
    """Everything that a rehearsal is judged by."""

    setting: dict[str, Any]
    records: list[Record]
    journal: list[JournalEntry]
    facts: dict[str, Any]
    left_behind: dict[str, int]


class Folder:
    """The folder with a rehearsal's files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def recorder(self) -> "Recorder":
        return Recorder((self.path / "history.jsonl").open("a"))

    def save(self, name: str, content: Any) -> None:
        (self.path / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False))

    def load(self, name: str) -> Any:
        return json.loads((self.path / f"{name}.json").read_text())

    def evidence(self) -> Evidence:
        return Evidence(
            setting=self.load("setting"),
            records=list(self.records()),
            journal=[JournalEntry(**entry) for entry in self.load("journal")],
            facts=self.load("facts"),
            left_behind=self.load("left_behind"),
        )

    def records(self) -> Iterator[Record]:
        with (self.path / "history.jsonl").open() as lines:
            yield from (Record(**json.loads(line)) for line in lines)


class Recorder:
    """Writes records to the history file."""

    def __init__(self, file: TextIO) -> None:
        self.file = file

    def __call__(self, record: Record) -> None:
        """Called a million times while calls are timed; `asdict` would take far longer."""
        self.file.write(
            encode_json(
                {
                    "user": record.user,
                    "action": record.action,
                    "began": record.began,
                    "ended": record.ended,
                    "status": record.status,
                    "code": record.code,
                    "data": record.data,
                }
            )
            + "\n"
        )

    def close(self) -> None:
        self.file.close()
