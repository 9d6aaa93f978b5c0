"""How many pages one person may have open, over all server processes.

A process refuses what is too much in itself at once. With its heartbeats it leases a place for each
of its pages, which are few per person; a page that gets none is closed. So the limit holds
everywhere within seconds, and opening a page costs no call.
"""

from contextlib import suppress
from datetime import datetime

from django.conf import settings
from redis.exceptions import RedisError

from ticketing.core.error_responses import frame
from waiting_queue import store
from waiting_queue.errors import TooManyPages
from waiting_queue.live.frames import dumps
from waiting_queue.live.topics import QueueTopic

# After a crash a person's places are free again so late. There are a few, so renewals may be rare.
LEASE_SECONDS, RENEWAL_SECONDS = 300, 100


async def lease_places(topic: QueueTopic, moment: float, now: datetime) -> None:
    """Lease places for new pages, at times for all of them; close the pages that get none."""
    if not settings.PAGES_PER_PERSON:
        return
    renew, freed = moment - topic.leased_at >= RENEWAL_SECONDS, list(topic.free_places)
    pages = [page for page in topic.subscribers if renew or not page.place]
    asked = [(person, -place) for person, place in freed]
    asked += [(page.person, page.place) for page in pages]
    places = await store.alease_pages(topic.key, asked, now, lease_ms=1000 * LEASE_SECONDS)
    topic.leased_at = moment if renew else topic.leased_at
    topic.free_places.difference_update(freed)
    for page, place in zip(pages, places[len(freed) :], strict=True):
        page.place = place
        if page not in topic.subscribers:  # closed meanwhile
            topic.remove(page)
        elif not place:
            page.push("error", dumps(frame(TooManyPages())))
            page.disconnect()


async def release_places(topic: QueueTopic, now: datetime) -> None:
    """Give back all places of this process, which stops; without Redis they lapse."""
    held = {(page.person, page.place) for page in topic.subscribers if page.place}
    asked = [(person, -place) for person, place in topic.free_places | held]
    with suppress(RedisError, OSError):
        await store.alease_pages(topic.key, asked, now, lease_ms=1000 * LEASE_SECONDS)
