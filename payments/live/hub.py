"""The hub of the pages in this process that wait for a payment.

One channel in Redis has the changes of all payments; each process passes on its pages' own.
"""

import json
from collections.abc import Coroutine, Iterable
from typing import Any

from payments import store
from ticketing.core.live.hub import Hub, Topic, listen
from ticketing.core.live.subscriber import Subscriber


class PaymentTopic(Topic[Subscriber]):
    """The open pages of one payment; its key is the row's id."""


class PaymentHub(Hub[PaymentTopic]):
    topic_class = PaymentTopic

    def background_work(self) -> Iterable[Coroutine[Any, Any, None]]:
        return [listen(store.subscribe_to_changes, self._push_change)]

    async def _push_change(self, change: tuple[int, str]) -> None:
        pk, state = change
        if topic := self.topics.get(pk):
            await topic.push_all("payment", state_frame(state))


def state_frame(state: str) -> str:
    return json.dumps({"type": "payment", "state": state.upper()})
