"""Admission follows the stock: nobody is called whom no seat is left for.

Each person who comes in takes a few seats, on average. So many people may be inside as the free
seats suffice for, beside those who have their seats already.
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ticketing.events.models import Event
from ticketing.events.selectors import free_seats_up_to_each, seats_by_grade
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.outlook import ASSUMED_BASKET, average_basket
from waiting_queue.services.signals import holders_wanted

# However few seats people buy, at most one person comes in for each seat.
SMALLEST_BASKET = 1
# What the sales so far taught this process; until then the outlook's assumption holds.
_baskets: dict[int, Fraction] = {}


def learn_basket(event_id: int, *, done: int) -> None:
    """Note how many seats a person takes, from the seats sold and the people who are out again."""
    sold = sum(grade.sold for grade in seats_by_grade(event_id))
    _baskets[event_id] = average_basket(sold=sold, done=done)


def places_inside(queue: SaleQueue) -> int:
    """Return how many people may be inside now; none while nothing can be bought."""
    return places_inside_each([queue])[queue.pk]


def places_inside_each(queues: Sequence[SaleQueue]) -> dict[int, int]:
    """The same for several queues, by event; at most two statements for all of them."""
    people_per_seat = {queue.pk: _people_per_seat(queue) for queue in queues}
    enough = {
        queue.pk: math.ceil(queue.max_inside / people_per_seat[queue.pk])
        for queue in queues
        if queue.event.state == Event.State.ON_SALE and people_per_seat[queue.pk]
    }
    free = dict.fromkeys(people_per_seat, 0) | free_seats_up_to_each(enough)
    holders = _holders([pk for pk, seats in enough.items() if 0 < free[pk] < seats])
    return {
        queue.pk: min(
            queue.max_inside,
            math.ceil(free[queue.pk] * people_per_seat[queue.pk]) + holders.get(queue.pk, 0),
        )
        for queue in queues
    }


def _people_per_seat(queue: SaleQueue) -> float:
    if queue.stock_factor is not None:
        return queue.stock_factor
    return float(1 / max(_baskets.get(queue.pk, Fraction(ASSUMED_BASKET)), SMALLEST_BASKET))


def _holders(event_ids: Sequence[int]) -> Counter[int]:
    """Of those events of which a few seats are left."""
    answers: Any = holders_wanted.send(SaleQueue, event_ids=event_ids) if event_ids else ()
    return sum((Counter(counts) for _, counts in answers), Counter())
