"""What the shop does: a gate in Redis turns losers away, then row lock and constraint decide."""

from psycopg.errors import UniqueViolation

from reservations.lab import keys, store
from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome
from reservations.lab.strategies import pessimistic


def buy(buyer: Buyer, seat: int) -> Outcome:
    key = keys.gate(buyer.terms, seat)
    if not buyer.redis.set(key, buyer.number, nx=True, ex=keys.KEPT_SECONDS):
        return Outcome.TAKEN
    outcome = _decided_by_the_database(buyer, seat)
    if outcome is Outcome.BUSY:
        store.run(buyer.redis, "open", keys=[key], args=[buyer.number])
    return outcome


def _decided_by_the_database(buyer: Buyer, seat: int) -> Outcome:
    try:
        return pessimistic.buy(buyer, seat)
    except UniqueViolation:
        return Outcome.TAKEN
