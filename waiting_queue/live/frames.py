"""What is sent to open pages: one text each, from a pattern that is worked out once a tick.

Tens of thousands are told their place in the same second, and most of what they are told is the
same for all. The pattern comes from the API's own answer, so both say the same things.
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

# What differs between two people who wait, in the order of the answer.
OWN = (
    *("number", "position", "ahead", "rank", "aheadCount", "total"),
    *("eta_seconds", "eta_low_seconds", "eta_high_seconds", "next_poll_ms"),
)
# Whose answers say the same to everybody in that state.
ALIKE = frozenset({"lobby", "none", "completed", "left", "expired", "blocked", "closed"})
AVERAGE_LUCK = 0.5  # pages that are pushed to don't poll


class Frames:
    """The frames of one pulse."""

    def __init__(self, pulse: TickMessage) -> None:
        self.pulse, self.pace = pulse, Pace.of(pulse)
        self.now = datetime.fromtimestamp(pulse.at_ms / 1000, UTC)
        self._alike: dict[str, str] = {}
        body = self._body("", self.standing("waiting", 1, 0), token=False)
        self._frame = pattern(body)
        self._answer = pattern({name: body[name] for name in body if name != "type"})

    def waiting(self, number: int, ahead: int) -> str:
        """For somebody in line, whose token stays what it is."""
        return self._frame % self._own(number, ahead, AVERAGE_LUCK)

    def answer(self, number: int, ahead: int, luck: float) -> str:
        """The same for somebody who polls."""
        return self._answer % self._own(number, ahead, luck)

    def _own(self, number: int, ahead: int, luck: float) -> tuple[int | str, ...]:
        expected, low, high = self.pace.eta(ahead)
        return (
            *(number, ahead + 1, ahead, ahead, ahead, max(self.pulse.waiting, ahead + 1)),
            *(_text(expected), _text(low), _text(high)),
            self.pace.poll_ms(ahead, low, luck),
        )

    def of(self, person: str, known: Standing) -> str:
        """For somebody about whom nothing changed but the line around them."""
        if known.state in ALIKE:
            if known.state not in self._alike:
                self._alike[known.state] = self._whole("", self.around(known), token=False)
            return self._alike[known.state]
        return self._whole(person, self.around(known), token=False)

    def news(self, person: str, found: Standing) -> str:
        """For somebody to whom something happened: with the token of what they have now."""
        return self._whole(person, found, token=True)

    def standing(self, state: str, number: int, ahead: int) -> Standing:
        return standing_in(self.pulse, state, number, ahead)

    def around(self, known: Standing) -> Standing:
        """The same place, as the line looks now."""
        pulse = self.pulse
        return replace(
            known,
            waiting=pulse.waiting,
            lobby=pulse.lobby,
            queue_state=pulse.queue_state,
            fast=pulse.fast,
            slow=pulse.slow,
        )

    def _whole(self, person: str, found: Standing, *, token: bool) -> str:
        return dumps(self._body(person, found, token=token))

    def _body(self, person: str, found: Standing, *, token: bool) -> dict[str, Any]:
        event_id = self.pulse.event_id
        known = None if token else QueueToken(event_id, person, found.number, found.epoch)
        return standing_frame(event_id, person, found, self.now, known=known)


def pattern(body: dict[str, Any]) -> str:
    """The text of an answer, with gaps for what differs between two people."""
    text = dumps(body | {name: f"<{name}>" for name in OWN}).replace("%", "%%")
    for name in OWN:
        text = text.replace(f'"<{name}>"', "%s")
    return text


def standing_frame(
    event_id: int, person: str, found: Standing, now: datetime, *, known: QueueToken | None = None
) -> dict[str, Any]:
    """With a token, unless it is one that the page has already."""
    body = selectors.standing_body(
        event_id=event_id,
        person=person,
        standing=found,
        now=now,
        jitter=AVERAGE_LUCK,
        held=known,
    )
    return {"type": "standing", **body}


def standing_in(pulse: TickMessage, state: str, number: int, ahead: int) -> Standing:
    """What a pulse says of somebody whose place is known."""
    return Standing(
        *(state, number, ahead, 0, 0, max(pulse.waiting, ahead + 1), pulse.lobby),
        *(pulse.queue_state, pulse.fast, pulse.slow, pulse.epoch, 0, pulse.absence_ms),
    )


def announcements_of(pulse: TickMessage | None) -> dict[str, Any]:
    """What everybody is told alike: the operator's words, and how many seats there are."""
    outlook = (pulse.outlook if pulse else None) or {"sold_out": False, "grades": []}
    return {"notice": pulse.notice if pulse else "", **outlook}


def announcements(pulse: TickMessage | None) -> dict[str, str]:
    """The same as frames, by kind."""
    told = announcements_of(pulse)
    notice = told.pop("notice")
    return {
        "outlook": dumps({"type": "outlook", **told}),
        "notice": dumps({"type": "notice", "message": notice}),
    }


dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def _text(value: int | None) -> int | str:
    return "null" if value is None else value
