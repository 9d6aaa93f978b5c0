"""The texts pushed to waiting pages, filled into a pattern that is made once a tick.

Tens of thousands of pages get their rank in the same second, and most of the text is the same for
all. The pattern is made from the API's own answer, so that both say the same.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from waiting_queue import selectors
from waiting_queue.selectors import Pace
from waiting_queue.store import Standing
from waiting_queue.tick_message import TickMessage
from waiting_queue.tokens import QueueToken

# The fields that differ between two people who wait, in the order of the answer.
PERSONAL_FIELDS = (
    *("number", "position", "ahead", "rank", "aheadCount", "total"),
    *("eta_seconds", "eta_low_seconds", "eta_high_seconds", "next_poll_ms"),
)
# States whose frame is the same for everybody.
SHARED_STATES = frozenset({"lobby", "none", "completed", "left", "expired", "blocked", "closed"})
AVERAGE_LUCK = 0.5  # pages that are pushed to don't poll


class Frames:
    """The frames of one tick message; `turn` is greater than its own if the ranks are newer."""

    def __init__(self, message: TickMessage, turn: int = 0) -> None:
        self.message, self.pace, self.turn = message, Pace.of(message), turn or message.turn
        self.now = datetime.fromtimestamp(message.at_ms / 1000, UTC)
        self._shared: dict[str, str] = {}
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
        expected, low, high = self.pace.eta(ahead)
        return (
            *(number, ahead + 1, ahead, ahead, ahead, max(self.message.waiting, ahead + 1)),
            *(_json(expected), _json(low), _json(high)),
            self.pace.poll_ms(ahead, low, luck),
        )

    def unchanged(self, person: str, standing: Standing) -> str:
        """For a person of whom nothing changed but the line around them."""
        if standing.state in SHARED_STATES:
            if standing.state not in self._shared:
                self._shared[standing.state] = self._whole("", self._now(standing), token=False)
            return self._shared[standing.state]
        return self._whole(person, self._now(standing), token=False)

    def changed(self, person: str, standing: Standing) -> str:
        """For a person whose standing changed: with the token of what they have now."""
        return self._whole(person, standing, token=True)

    def standing(self, state: str, number: int, ahead: int) -> Standing:
        """The standing of a person whose rank is known."""
        message = self.message
        return Standing(
            *(state, number, ahead, 0, 0, max(message.waiting, ahead + 1), message.lobby),
            *(message.queue_state, message.fast, message.slow, message.epoch),
            *(0, message.absence_ms, self.turn),
        )

    def _now(self, standing: Standing) -> Standing:
        """The same place, in the line as it is now."""
        message = self.message
        return replace(
            standing,
            waiting=message.waiting,
            lobby=message.lobby,
            queue_state=message.queue_state,
            fast=message.fast,
            slow=message.slow,
            turn=self.turn,
        )

    def _whole(self, person: str, standing: Standing, *, token: bool) -> str:
        return dumps(self._body(person, standing, token=token))

    def _body(self, person: str, standing: Standing, *, token: bool) -> dict[str, Any]:
        event_id = self.message.event_id
        held = None if token else QueueToken(event_id, person, standing.number, standing.epoch)
        return standing_frame(event_id, person, standing, self.now, held=held)


def pattern(body: dict[str, Any]) -> str:
    """The text of an answer, with gaps for the personal fields."""
    text = dumps(body | {name: f"<{name}>" for name in PERSONAL_FIELDS}).replace("%", "%%")
    for name in PERSONAL_FIELDS:
        text = text.replace(f'"<{name}>"', "%s")
    return text


def standing_frame(
    event_id: int, person: str, standing: Standing, now: datetime, *, held: QueueToken | None = None
) -> dict[str, Any]:
    """With a new token, unless the page holds it already."""
    body = selectors.standing_body(
        event_id=event_id, person=person, standing=standing, now=now, jitter=AVERAGE_LUCK, held=held
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
