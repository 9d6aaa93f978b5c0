"""A row lock: whoever comes second waits, briefly, and then sees what the first one did."""

from psycopg.errors import LockNotAvailable

from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    try:
        return _buy(buyer, seat)
    except LockNotAvailable:
        return Outcome.BUSY


def _buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.desk.transaction():
        buyer.desk.lock(seat)
        # A statement of its own: one that had to wait for the lock would still see the past.
        if buyer.desk.is_sold(seat):
            return Outcome.TAKEN
        buyer.think()
        buyer.desk.sell(seat, buyer.number)
    return Outcome.BOUGHT
