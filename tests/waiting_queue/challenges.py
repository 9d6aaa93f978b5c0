"""A rush, and people who solve what it asks for."""

from typing import Any

import altcha

from ticketing.core import clock
from waiting_queue import store
from waiting_queue.services import challenges
from waiting_queue.tick_message import TickMessage

ADDRESS = "203.0.113.7"


def rush(event_id: int, joins: int = 60) -> None:
    """As the tick tells every process."""
    message = TickMessage(event_id, queue_state="open", joins=joins, at_ms=store.ms(clock.now()))
    store.publish_tick_messages([message])
    challenges._joins.clear()  # it is asked for once a second


def solution_of(challenge: dict[str, Any]) -> str:
    """What a browser sends, as ALTCHA's own library finds it."""
    posed = altcha.Challenge.from_dict(challenge["proof_of_work"])
    found = altcha.solve_challenge(posed)
    assert found is not None
    return altcha.Payload(posed, found).to_base64()
