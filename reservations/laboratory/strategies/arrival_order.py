"""Asynchronous: told at once to wait, then answered in order of arrival by a worker."""

from reservations.laboratory.buyer import Buyer
from reservations.laboratory.requests import Requests, State
from reservations.laboratory.results import Outcome

OUTCOMES = {State.SUCCESS: Outcome.BOUGHT, State.FAILED: Outcome.TAKEN, None: Outcome.BUSY}


def buy(buyer: Buyer, seat: int) -> Outcome:
    requests = Requests(buyer.redis, buyer.terms)
    request = requests.post(seat=seat, buyer=buyer.number)
    buyer.is_told_to_wait()
    return OUTCOMES[requests.answer(request)]
