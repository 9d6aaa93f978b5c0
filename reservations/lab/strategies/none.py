"""No lock: look, think, write. The control, which has to go wrong."""

from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome


def buy(buyer: Buyer, seat: int) -> Outcome:
    with buyer.desk.transaction():
        if buyer.desk.is_sold(seat):
            return Outcome.TAKEN
        buyer.think()
        buyer.desk.sell(seat, buyer.number)
    return Outcome.BOUGHT
