"""No lock: read, think, write. The control, which must go wrong."""

from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.database.transaction():
        if buyer.database.is_sold(seat):
            return Outcome.TAKEN
        buyer.think()
        buyer.database.sell(seat, buyer.number)
    return Outcome.BOUGHT
