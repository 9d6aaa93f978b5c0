"""How far a rehearsal is. The runner writes it, the terminal shows it."""

from dataclasses import dataclass, field
from typing import Any

from ticketing.rehearsal.simulator.counters import Counters
from ticketing.rehearsal.simulator.history import steady_time


@dataclass
class Progress:
    counters: Counters = field(default_factory=Counters)
    setting: dict[str, Any] = field(default_factory=dict)
    snapshot: dict[str, Any] = field(default_factory=dict)
    phase: str = "getting ready"
    began: float = field(default_factory=steady_time)
    lasts: float = 0.0  # seconds; 0 if unknown
    last_change: str = ""  # the last fault, pause or resume

    def enter(self, phase: str, lasts: float = 0.0) -> None:
        self.phase, self.began, self.lasts = phase, steady_time(), lasts

    @property
    def seats(self) -> dict[str, int]:
        return dict(self.snapshot.get("seats") or {})
