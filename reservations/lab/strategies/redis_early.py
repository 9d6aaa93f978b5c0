"""The trap: the lock lies inside the transaction, so the next one looks before the commit."""

from reservations.lab.buyer import Buyer
from reservations.lab.lock import Busy, LockLost
from reservations.lab.results import Outcome
from reservations.lab.strategies.redis_lock import lock_of


def buy(buyer: Buyer, seat: int) -> Outcome:
    try:
        return _buy(buyer, seat)
    except (Busy, LockLost):
        return Outcome.BUSY


def _buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.desk.transaction():
        with lock_of(buyer, seat) as lock:
            if buyer.desk.is_sold(seat):
                return Outcome.TAKEN
            buyer.desk.sell(seat, buyer.number)
            lock.require()
        buyer.think()
    return Outcome.BOUGHT
