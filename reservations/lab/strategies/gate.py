"""As the shop does: a gate in Redis refuses losers, then row lock and constraint decide."""

from psycopg.errors import UniqueViolation

from reservations.lab import keys, store
from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome
from reservations.lab.strategies import pessimistic


def buy(buyer: Buyer, seat: int) -> Outcome:
    key = keys.gate(buyer.config, seat)
    if not buyer.redis.set(key, buyer.number, nx=True, ex=keys.TTL_SECONDS):
        return Outcome.TAKEN
    try:
        outcome = pessimistic.buy(buyer, seat)
    except UniqueViolation:
        return Outcome.TAKEN
    if outcome is Outcome.BUSY:
        store.run(buyer.redis, "open_gate", keys=[key], args=[buyer.number])
    return outcome
