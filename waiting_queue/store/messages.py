"""Tick messages: published to every server process, the last one kept for those who come later."""

from collections.abc import AsyncIterator, Sequence

from ticketing.core import redis
from waiting_queue import keys
from waiting_queue.tick_message import TickMessage

KEPT_SECONDS = 3600


def publish_tick_messages(messages: Sequence[TickMessage]) -> None:
    """One message per event to every server process.

    Published through the Redis of the sessions: a cluster has no pub/sub for coroutines.
    """
    with (
        redis.queue_client().pipeline(transaction=False) as kept,
        redis.client().pipeline(transaction=False) as published,
    ):
        for message in messages:
            text = message.to_text()
            if message.queue_state != "closed":  # nothing is kept of a closed queue
                key = keys.last_tick_message(message.event_id)
                last = message.without_changes() if message.changes else text
                kept.set(key, last, ex=KEPT_SECONDS)
            published.publish(keys.tick_channel(redis.database()), text)
        kept.execute()
        published.execute()


def last_tick_message(event_id: int) -> TickMessage | None:
    text = redis.queue_client().get(keys.last_tick_message(event_id))
    return TickMessage.from_text(text) if text else None


async def alast_tick_message(event_id: int) -> TickMessage | None:
    text = await redis.async_queue_client().get(keys.last_tick_message(event_id))
    return TickMessage.from_text(text) if text else None


async def subscribe_to_tick_messages() -> AsyncIterator[str]:
    """Every tick message of every event as text, for as long as Redis can be reached."""
    async with redis.listening(keys.tick_channel(redis.database())) as texts:
        async for text in texts:
            yield text
