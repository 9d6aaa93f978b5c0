"""Admission follows the stock: nobody is called whom no seat is left for.

Each person who comes in takes a few seats, on average. So many people may be inside as the free
seats suffice for, beside those who have their seats already.
"""

import math
from fractions import Fraction
from typing import Any

from ticketing.events.models import Event
from ticketing.events.selectors import free_seats_up_to, seats_by_grade
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
    people_per_seat = _people_per_seat(queue)
    if queue.event.state != Event.State.ON_SALE or not people_per_seat:
        return 0
    enough = math.ceil(queue.max_inside / people_per_seat)
    free = free_seats_up_to(queue.pk, enough)
    if free == 0 or free == enough:
        return queue.max_inside if free else 0
    return min(queue.max_inside, math.ceil(free * people_per_seat) + _holders(queue.pk))


def _people_per_seat(queue: SaleQueue) -> float:
    if queue.stock_factor is not None:
        return queue.stock_factor
    return float(1 / max(_baskets.get(queue.pk, Fraction(ASSUMED_BASKET)), SMALLEST_BASKET))


def _holders(event_id: int) -> int:
    answers: Any = holders_wanted.send(SaleQueue, event_id=event_id)
    return sum(count for _, count in answers)
