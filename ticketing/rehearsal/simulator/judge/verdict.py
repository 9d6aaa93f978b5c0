"""What a check says: how much it looked at, whether it holds, and the first thing against it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Said:
    """A sentence that is put into words only when it is read, in the reader's language."""

    words: Any
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.words) % self.values if self.values else str(self.words)


@dataclass(frozen=True)
class Verdict:
    """`holds` is None where nothing was observed: then it was not rehearsed."""

    name: str
    title: Any
    checked: int
    holds: bool | None
    counterexample: Said | None = None
    found: int = 0
    detail: tuple[Said, ...] = ()

    @property
    def words(self) -> str:
        return str(self.title)


@dataclass
class Findings:
    """Collects what a check sees; only the first counterexample in time is put into words."""

    checked: int = 0
    found: int = 0
    first: Said | None = None
    first_at: float = float("inf")
    detail: list[Said] = field(default_factory=list)

    def against(self, at: float, words: Any, /, **values: Any) -> None:
        self.found += 1
        if self.first is None or at < self.first_at:
            self.first, self.first_at = Said(words, values), at

    def note(self, words: Any, /, **values: Any) -> None:
        self.detail.append(Said(words, values))

    def verdict(self, name: str, title: Any) -> Verdict:
        holds = None if not self.checked and not self.found else not self.found
        return Verdict(name, title, self.checked, holds, self.first, self.found, tuple(self.detail))
