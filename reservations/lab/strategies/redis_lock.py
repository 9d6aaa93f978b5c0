"""A lock in Redis around the whole transaction, released after the commit."""

from reservations.lab import keys
from reservations.lab.buyer import Buyer
from reservations.lab.redis_lock import LockBusy, LockLost, RedisLock
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    try:
        with lock_of(buyer, seat) as lock:
            return _buy(buyer, seat, lock)
    except (LockBusy, LockLost):
        return Outcome.BUSY


def _buy(buyer: Buyer, seat: int, lock: RedisLock) -> Outcome:
    with buyer.database.transaction():
        if buyer.database.is_sold(seat):
            return Outcome.TAKEN
        buyer.think()
        buyer.database.sell(seat, buyer.number)
        lock.require_held()
    return Outcome.BOUGHT


def lock_of(buyer: Buyer, seat: int) -> RedisLock:
    config = buyer.config
    return RedisLock(buyer.redis, keys.lock(config, seat), wait=config.wait, lease=config.lease)
