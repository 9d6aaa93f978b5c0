"""A lock in Redis around the whole transaction, given back strictly after the commit."""

from reservations.lab import keys
from reservations.lab.buyer import Buyer
from reservations.lab.lock import Busy, Lock, LockLost
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    try:
        with lock_of(buyer, seat) as lock:
            return _buy(buyer, seat, lock)
    except (Busy, LockLost):
        return Outcome.BUSY


def _buy(buyer: Buyer, seat: int, lock: Lock) -> Outcome:
    with buyer.desk.transaction():
        if buyer.desk.is_sold(seat):
            return Outcome.TAKEN
        buyer.think()
        buyer.desk.sell(seat, buyer.number)
        lock.require()
    return Outcome.BOUGHT


def lock_of(buyer: Buyer, seat: int) -> Lock:
    terms = buyer.terms
    return Lock(buyer.redis, keys.lock(terms, seat), wait=terms.wait, lease=terms.lease)
