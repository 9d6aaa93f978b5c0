"""Asynchronous: accepted at once, then answered by a worker in order of arrival."""

from reservations.lab.buyer import Buyer
from reservations.lab.request_queue import RequestQueue, State
from reservations.lab.results import Outcome

OUTCOMES = {State.SUCCESS: Outcome.BOUGHT, State.FAILED: Outcome.TAKEN, None: Outcome.BUSY}


def buy(buyer: Buyer, seat: int) -> Outcome:
    requests = RequestQueue(buyer.redis, buyer.config)
    request = requests.post(seat=seat, buyer=buyer.number)
    buyer.mark_accepted()
    return OUTCOMES[requests.answer(request)]
