"""A version column: only the first to write finds the version unchanged."""

from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.database.transaction():
        version = buyer.database.version_if_free(seat)
        if version is None:
            return Outcome.TAKEN
        buyer.think()
        if not buyer.database.next_version(seat, version):
            return Outcome.TAKEN
        buyer.database.sell(seat, buyer.number)
    return Outcome.BOUGHT
