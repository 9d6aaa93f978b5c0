"""What a rehearsal leaves behind to be judged: who did what when, and what the site said.

Kept as files in one folder, so that a rehearsal can be judged again by somebody else.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ticketing.core import clock

_BEGAN = clock.now().timestamp() - clock.monotonic()
as_json = json.JSONEncoder(ensure_ascii=False).encode
STAGE = -1  # who runs the rehearsal, as opposed to the people in it


def steady() -> float:
    """Seconds since 1970, on a clock that nobody sets while we look at it."""
    return _BEGAN + clock.monotonic()


@dataclass(frozen=True, slots=True)
class Deed:
    """One call, frame or event; times are seconds since 1970 on the recorder's own steady clock."""

    who: int
    did: str
    began: float
    ended: float
    status: int = 200  # of HTTP; 0: no answer came, so nobody knows what it did
    code: str = ""
    saw: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        return 200 <= self.status < 300

    @property
    def unknown(self) -> bool:
        return self.status == 0 or self.status >= 500


@dataclass(frozen=True)
class Entry:
    """A line of the queue's own journal; `at` is the server's time in seconds since 1970."""

    at: float
    person: int
    kind: str
    number: int


@dataclass(frozen=True)
class Evidence:
    """Everything there is to judge a rehearsal by."""

    setting: dict[str, Any]
    deeds: list[Deed]
    journal: list[Entry]
    facts: dict[str, Any]
    left_behind: dict[str, int]


class Folder:
    """Where a rehearsal's files are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def recorder(self) -> "Recorder":
        return Recorder((self.path / "history.jsonl").open("a"))

    def keep(self, name: str, content: Any) -> None:
        (self.path / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False))

    def kept(self, name: str) -> Any:
        return json.loads((self.path / f"{name}.json").read_text())

    def evidence(self) -> Evidence:
        return Evidence(
            setting=self.kept("setting"),
            deeds=list(self._deeds()),
            journal=[Entry(**entry) for entry in self.kept("journal")],
            facts=self.kept("facts"),
            left_behind=self.kept("left_behind"),
        )

    def _deeds(self) -> Iterator[Deed]:
        with (self.path / "history.jsonl").open() as lines:
            yield from (Deed(**json.loads(line)) for line in lines)


class Recorder:
    """Writes deeds down as they end."""

    def __init__(self, file: TextIO) -> None:
        self.file = file

    def __call__(self, deed: Deed) -> None:
        """Done a million times while others are timed, so by hand: `asdict` takes far longer."""
        self.file.write(
            as_json(
                {
                    "who": deed.who,
                    "did": deed.did,
                    "began": deed.began,
                    "ended": deed.ended,
                    "status": deed.status,
                    "code": deed.code,
                    "saw": deed.saw,
                }
            )
            + "\n"
        )

    def close(self) -> None:
        self.file.close()
