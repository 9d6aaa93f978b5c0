"""The state of the waiting page for one person at one moment."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import get_language

from ticketing.core.errors import DomainError
from waiting_queue import services
from waiting_queue.models import BlockAppeal, Lane, SaleQueue
from waiting_queue.selectors.outlook import chance_of
from waiting_queue.views import labels

State = SaleQueue.State
JOINABLE = frozenset({State.LOBBY, State.OPEN, State.PAUSED})
# Page states in which the script stays connected to the server.
LIVE = frozenset({"lobby", "waiting", "ready"})
# Seconds between two reloads of a page without a script; faster ones make buttons hard to press.
MIN_REFRESH, LIVE_REFRESH, FULL_REFRESH = 5, 10, 60
# A page for a queue that opens later than this does not reload.
REFRESH_WINDOW = timedelta(minutes=10)


@dataclass(frozen=True)
class PageState:
    """`name` selects the template; `waiting` and `lobby` are counts of people.

    `standing` is the API's JSON, `announcements` what everybody in line is sent.
    """

    name: str
    queue: SaleQueue
    now: datetime
    waiting: int = 0
    lobby: int = 0
    standing: dict[str, Any] | None = None
    absence_seconds: int = 0
    announcements: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    other_queues: list[SaleQueue] = field(default_factory=list)
    appeal: BlockAppeal | None = None
    may_appeal: bool = False
    lanes: list[Lane] = field(default_factory=list)
    # What people of each lane are told about it, by the lane's number; empty without lanes.
    lane_labels: dict[str, str] = field(default_factory=dict)
    lane_refusal: DomainError | None = None

    @property
    def template(self) -> str:
        return f"queue/line/_{self.name}.html"

    @property
    def is_live(self) -> bool:
        return self.name in LIVE

    @property
    def queue_state(self) -> str:
        """The line in Redis knows the state earlier than the row that was read."""
        return self.standing["queue_state"] if self.standing else str(self.queue.line_state)

    @property
    def is_full(self) -> bool:
        return self.waiting + self.lobby >= self.queue.capacity

    @property
    def can_join(self) -> bool:
        is_closed = self.queue.mode == SaleQueue.Mode.CLOSED
        return self.queue.state in JOINABLE and not is_closed and not self.is_full

    @property
    def is_drawn_by_minute(self) -> bool:
        """Whether people who wait for a draw are those of this minute, not those of the lobby."""
        is_lobby = self.queue.state == State.LOBBY
        return self.queue.mode == SaleQueue.Mode.MINUTE_DRAW and not is_lobby

    @property
    def quantities(self) -> range:
        """How many seats somebody may ask the standby list for."""
        return range(1, self.queue.event.seats_per_person + 1)

    @property
    def announcements_json(self) -> str:
        return json.dumps(self.announcements)

    @property
    def eta_label(self) -> str:
        if self.announcements.get("sold_out"):
            return str(labels.SCRIPT_LABELS["eta-sold-out"])
        return labels.eta_label(self.standing) if self.standing else ""

    @property
    def eta_range_label(self) -> str:
        if self.announcements.get("sold_out"):
            return ""
        return labels.eta_range_label(self.standing) if self.standing else ""

    @property
    def before(self) -> int:
        """Return how many people got a number before this one."""
        return max((self.standing or {}).get("number") or 1, 1) - 1

    @property
    def own_values(self) -> dict[str, str]:
        """What the page of somebody in the line says about them, by the names of its marks."""
        standing = self.standing or {}
        ahead, number = standing.get("ahead"), standing.get("number")
        why = standing.get("demoted_why", "")
        values = {
            "standing": json.dumps(self.standing),
            "ahead": "" if ahead is None else intcomma(ahead),
            "aheadhidden": " hidden" if ahead == 0 else "",
            "aheadlabel": self.ahead_label,
            "before": str(self.before or 1),
            "gone": str(self.gone if self.before else 1),
            "gonelabel": self.gone_label,
            "gonehidden": "" if self.before else " hidden",
            "eta": self.eta_label,
            "etarange": self.eta_range_label,
            "number": "" if number is None else intcomma(number),
            "lane": self.lane_labels.get(str(standing.get("lane", 0)), ""),
            "lanehidden": "" if self.lane_labels else " hidden",
            "total": intcomma(standing.get("total", self.waiting)),
            "lobby": intcomma(standing.get("lobby", self.lobby)),
            "party": self.party_label,
            "demoted": labels.demotion_label(why),
            "demotedhidden": "" if why else " hidden",
            "verifyhidden": "" if why.startswith(services.GROUP) else " hidden",
        }
        for place, grade in enumerate(self.chances):
            values |= {f"chance{place}": grade["chance"], f"label{place}": str(grade["label"])}
        return values

    @property
    def party_label(self) -> str:
        people = (self.standing or {}).get("party", {}).get("people")
        if not people:
            return str(labels.SCRIPT_LABELS["party-none"])
        return str(labels.SCRIPT_LABELS["party-of"]).format(n=people)

    @property
    def gone(self) -> int:
        """Return how many of those are no longer ahead."""
        return max(self.before - ((self.standing or {}).get("ahead") or 0), 0)

    @property
    def ahead_label(self) -> str:
        ahead = (self.standing or {}).get("ahead") or 0
        return str(labels.SCRIPT_LABELS[{0: "ahead-none", 1: "ahead-one"}.get(ahead, "ahead-many")])

    @property
    def gone_label(self) -> str:
        numbers = {"gone": intcomma(self.gone), "before": intcomma(self.before)}
        return str(labels.SCRIPT_LABELS["gone"]).format(**numbers)

    @property
    def deadline(self) -> datetime | None:
        text = (self.standing or {}).get("deadline")
        return datetime.fromisoformat(text) if text else None

    @property
    def chances(self) -> list[dict[str, Any]]:
        """Return the outlook of each grade; newcomers would be behind everybody who waits."""
        ahead = (self.standing or {}).get("ahead")
        ahead = self.waiting if ahead is None else ahead
        return [_chance(grade, ahead) for grade in self.announcements.get("grades", ())]

    @property
    def absence_label(self) -> str:
        return labels.exact_duration_label(self.absence_seconds or self.queue.absence_seconds)

    @property
    def claim_label(self) -> str:
        return labels.exact_duration_label(self.queue.claim_seconds)

    @property
    def refresh_after(self) -> int | None:
        """Return the seconds until a page without a script reloads."""
        if self.is_live:
            return LIVE_REFRESH
        if self.name == "scheduled":
            left = (self.queue.lobby_opens_at or self.queue.opens_at) - self.now
            if left > REFRESH_WINDOW:
                return None
            return int(min(FULL_REFRESH, max(MIN_REFRESH, left.total_seconds() + 1)))
        return FULL_REFRESH if self.name == "join" and self.is_full else None


def _chance(grade: dict[str, Any], ahead: int) -> dict[str, Any]:
    language = (get_language() or "ko")[:2]
    chance = chance_of(grade, ahead)
    name = grade.get(f"name_{language}") or grade["name_ko"]
    free = str(labels.SCRIPT_LABELS["free"]).format(n=intcomma(grade["free"]))
    label = labels.SCRIPT_LABELS[chance]
    return {"name": name, "free_label": free, "chance": chance, "label": label}
