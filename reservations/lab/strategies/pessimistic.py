"""A row lock: the second waits briefly, then sees what the first one wrote."""

from psycopg.errors import LockNotAvailable

from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    try:
        return _buy(buyer, seat)
    except LockNotAvailable:
        return Outcome.BUSY


def _buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.database.transaction():
        buyer.database.lock(seat)
        # A separate statement: the one that waited for the lock has an older snapshot.
        if buyer.database.is_sold(seat):
            return Outcome.TAKEN
        buyer.think()
        buyer.database.sell(seat, buyer.number)
    return Outcome.BOUGHT
