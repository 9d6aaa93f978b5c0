"""Asynchronous: told at once to wait, then answered in order of arrival by a worker."""

from reservations.lab.buyer import Buyer
from reservations.lab.requests import Requests, State
from reservations.lab.results import Outcome

OUTCOMES = {State.SUCCESS: Outcome.BOUGHT, State.FAILED: Outcome.TAKEN, None: Outcome.BUSY}


def buy(buyer: Buyer, seat: int) -> Outcome:
    requests = Requests(buyer.redis, buyer.terms)
    request = requests.post(seat=seat, buyer=buyer.number)
    buyer.is_told_to_wait()
    return OUTCOMES[requests.answer(request)]
