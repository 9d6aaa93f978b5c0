"""The texts pushed to waiting pages, filled into a pattern that is made once a tick.

Tens of thousands of pages get their rank in the same second, and most of the text is the same for
all. The pattern is made from the API's own answer, so that both say the same.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from waiting_queue import selectors
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.selectors import Pace
from waiting_queue.store import Standing
from waiting_queue.tick_message import TickMessage

# The fields that differ between two people who wait, in the order of the answer.
PERSONAL_FIELDS = (
    *("lane", "number", "position", "ahead", "rank", "aheadCount", "total"),
    *("eta_seconds", "eta_low_seconds", "eta_high_seconds", "next_poll_ms"),
)
# States whose frame is the same for everybody.
SHARED_STATES = frozenset(
    {"lobby", "none", "at_limit", "completed", "left", "expired", "blocked", "closed"}
)
AVERAGE_LUCK = 0.5  # pages that are pushed to don't poll


class Frames:
    """The frames of one tick message; `turn` is greater than its own if the ranks are newer."""

    def __init__(self, message: TickMessage, turn: int = 0) -> None:
        self.message, self.turn = message, turn or message.turn
        # For each lane: how fast it moves, its share of all calls, and how many wait in it.
        self._lanes: dict[int, tuple[Pace, float, int]] = {
            lane: (Pace.of(message, float(share)), float(share), waiting)
            for lane, _head, _last, waiting, share in message.lanes
        } or {0: (Pace.of(message), 0.0, message.waiting)}
        self.now = datetime.fromtimestamp(message.at_ms / 1000, UTC)
        self._shared: dict[tuple[str, int], str] = {}
        body = self._body("", self.standing("waiting", 1, 0), token=False)
        self._frame = pattern(body)
        self._answer = pattern({name: body[name] for name in body if name != "type"})

    def waiting(self, number: int, ahead: int) -> str:
        """For a person in line, whose token stays valid."""
        return self._frame % self._personal(number, ahead, AVERAGE_LUCK)

    def answer(self, number: int, ahead: int, luck: float) -> str:
        """The same for a person who polls."""
        return self._answer % self._personal(number, ahead, luck)

    def _personal(self, number: int, ahead: int, luck: float) -> tuple[int | str, ...]:
        lane, shown = divmod(number, LANE_NUMBERS)
        pace, _share, waiting = self._lanes.get(lane, self._lanes[0])
        expected, low, high = pace.eta(ahead)
        return (
            *(lane, shown, ahead + 1, ahead, ahead, ahead, max(waiting, ahead + 1)),
            *(_json(expected), _json(low), _json(high)),
            pace.poll_ms(ahead, low, luck),
        )

    def unchanged(self, person: str, standing: Standing, browser: str = "") -> str:
        """For a person of whom nothing changed but the line around them."""
        if standing.state in SHARED_STATES:
            key = standing.state, standing.lane
            if key not in self._shared:
                shared = replace(self._now(standing), leader="", party_size=0, demoted_why="")
                self._shared[key] = self._whole("", shared, token=False)
            return self._shared[key]
        return self._whole(person, self._now(standing), token=False, browser=browser)

    def changed(self, person: str, standing: Standing, browser: str = "") -> str:
        """For a person whose standing changed: with the token of what they have now."""
        return self._whole(person, standing, token=True, browser=browser)

    def standing(self, state: str, number: int, ahead: int) -> Standing:
        """The standing of a person whose rank is known."""
        message = self.message
        _pace, share, waiting = self._lanes.get(number // LANE_NUMBERS, self._lanes[0])
        return Standing(
            *(state, number, ahead, 0, 0, max(waiting, ahead + 1), message.lobby),
            *(message.queue_state, message.pace, message.epoch),
            *(0, message.absence_ms, self.turn),
            mode=message.mode,
            share=share,
        )

    def _now(self, standing: Standing) -> Standing:
        """The same place, in the line as it is now."""
        message = self.message
        _pace, share, waiting = self._lanes.get(standing.lane, self._lanes[0])
        return replace(
            standing,
            waiting=waiting,
            share=share,
            lobby=message.lobby,
            queue_state=message.queue_state,
            pace=message.pace,
            turn=self.turn,
            mode=message.mode,
        )

    def _whole(self, person: str, standing: Standing, *, token: bool, browser: str = "") -> str:
        return dumps(self._body(person, standing, token=token, browser=browser))

    def _body(
        self, person: str, standing: Standing, *, token: bool, browser: str = ""
    ) -> dict[str, Any]:
        event_id = self.message.event_id
        body = standing_frame(event_id, person, standing, self.now, browser=browser)
        return body if token else body | {"token": None}


def pattern(body: dict[str, Any]) -> str:
    """The text of an answer, with gaps for the personal fields."""
    text = dumps(body | {name: f"<{name}>" for name in PERSONAL_FIELDS}).replace("%", "%%")
    for name in PERSONAL_FIELDS:
        text = text.replace(f'"<{name}>"', "%s")
    return text


def standing_frame(
    event_id: int, person: str, standing: Standing, now: datetime, *, browser: str = ""
) -> dict[str, Any]:
    """With the token of this standing."""
    body = selectors.standing_body(
        event_id=event_id,
        person=person,
        standing=standing,
        now=now,
        jitter=AVERAGE_LUCK,
        browser=browser,
    )
    return {"type": "standing", **body}


def announcements(message: TickMessage | None) -> dict[str, Any]:
    """What is the same for everybody: the operator's notice, and the outlook for seats."""
    outlook = (message.outlook if message else None) or {"sold_out": False, "grades": []}
    return {"notice": message.notice if message else "", **outlook}


def announcement_frames(message: TickMessage | None) -> dict[str, str]:
    """The same as frames, by kind."""
    outlook = announcements(message)
    notice = outlook.pop("notice")
    return {
        "outlook": dumps({"type": "outlook", **outlook}),
        "notice": dumps({"type": "notice", "message": notice}),
    }


dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def _json(value: int | None) -> int | str:
    return "null" if value is None else value
