"""Going on in another browser: the pass moves there, and the first one shows it."""

from datetime import datetime

from reservations import locks
from reservations.live.pass_moves import publish_pass_move
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.throttle import throttle
from waiting_queue import services as queue
from waiting_queue.services import Standing

# A person has few browsers; more than this in a minute is a program.
TAKE_OVERS, WINDOW_SECONDS = 20, 60


def take_over(*, event_id: int, fan_id: int, browser: str, now: datetime) -> Standing:
    """Give the fan's pass to this browser: when it returns, no other can get seats any more.

    New holds of the others are refused by Redis as soon as it has moved. Those under way are
    stopped in the database, or have succeeded before this returns.
    """
    throttle("take-over", f"{event_id}:{fan_id}", TAKE_OVERS, WINDOW_SECONDS)
    with queue.explain_no_line(event_id):
        found = queue.take_over(event_id=event_id, person=str(fan_id), now=now, browser=browser)
    turn = queue.turn_of(found)
    if turn.moves:
        locks.stop_earlier_holds(event_id=event_id, fan_id=fan_id, turn=turn, now=now)
        publish_pass_move(event_id, fan_id, browser)
    return found


async def atake_over(*, event_id: int, fan_id: int, browser: str, now: datetime) -> Standing:
    """The same for coroutines, in a thread: it is rare."""
    whose = {"event_id": event_id, "fan_id": fan_id}
    return await in_thread(take_over, **whose, browser=browser, now=now)
