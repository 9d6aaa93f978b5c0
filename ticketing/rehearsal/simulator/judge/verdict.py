"""The verdict on a promise: observations, whether it holds, and the first counterexample."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sentence:
    """A sentence that is translated when it is read, into the reader's language."""

    text: Any
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.text) % self.values if self.values else str(self.text)


@dataclass(frozen=True)
class Verdict:
    """`holds` is None if nothing was observed: then it was not rehearsed."""

    name: str
    title: Any
    checked: int
    holds: bool | None
    counterexample: Sentence | None = None
    found: int = 0
    detail: tuple[Sentence, ...] = ()


@dataclass
class Findings:
    """Collects a promise's observations; only the first counterexample in time is kept."""

    checked: int = 0
    found: int = 0
    first: Sentence | None = None
    first_at: float = float("inf")
    detail: list[Sentence] = field(default_factory=list)

    def against(self, at: float, text: Any, /, **values: Any) -> None:
        self.found += 1
        if self.first is None or at < self.first_at:
            self.first, self.first_at = Sentence(text, values), at

    def note(self, text: Any, /, **values: Any) -> None:
        self.detail.append(Sentence(text, values))

    def verdict(self, name: str, title: Any) -> Verdict:
        holds = None if not self.checked and not self.found else not self.found
        return Verdict(name, title, self.checked, holds, self.first, self.found, tuple(self.detail))
