"""A version column: everybody may try, and only the first to write finds the version unchanged."""

from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.desk.transaction():
        version = buyer.desk.version_if_free(seat)
        if version is None:
            return Outcome.TAKEN
        buyer.think()
        if not buyer.desk.next_version(seat, version):
            return Outcome.TAKEN
        buyer.desk.sell(seat, buyer.number)
    return Outcome.BOUGHT
