"""The mistake: the lock is released before the commit, so the next buyer reads too early."""

from reservations.lab.buyer import Buyer
from reservations.lab.redis_lock import LockBusy, LockLost
from reservations.lab.results import Outcome
from reservations.lab.strategies.redis_lock import lock_of


def buy(buyer: Buyer, seat: int) -> Outcome:
    try:
        return _buy(buyer, seat)
    except (LockBusy, LockLost):
        return Outcome.BUSY


def _buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.database.transaction():
        with lock_of(buyer, seat) as lock:
            if buyer.database.is_sold(seat):
                return Outcome.TAKEN
            buyer.database.sell(seat, buyer.number)
            lock.require_held()
        buyer.think()
    return Outcome.BOUGHT
