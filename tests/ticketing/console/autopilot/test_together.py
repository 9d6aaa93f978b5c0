"""Several workers look at the same moment: one decides; without the lock, all of them would."""

from datetime import timedelta
from threading import Barrier, Event

import pytest
from django.db import transaction

from tests.making import make_user
from tests.race import together
from ticketing.console import selectors, services, store
from ticketing.console.pilot import Limits
from ticketing.console.services import piloting
from waiting_queue import services as queues
from waiting_queue.locks import queue_for_update
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 4


@pytest.fixture
def flown(event, now):
    chief = make_user(password=None)
    queue = SaleQueue.objects.create(event=event, opens_at=now - timedelta(minutes=1))
    queues.move_queue(event_id=queue.pk, to="open", by=chief, now=now)
    limits = Limits(lowest=0.1, highest=50, page_ms=800, database_ms=60_000)
    queues.set_knobs(event_id=queue.pk, knobs={"admit_per_second": 0.4}, by=chief, now=now)
    services.switch_on(event_id=queue.pk, limits=limits, by=chief, now=now)
    store.beat("web host 1", now, 5_000)
    return queue


def steps():
    return QueueChange.objects.filter(why__startswith="autopilot").count()


def test_of_many_workers_one_decides(flown, now):
    results = together(MANY, lambda _: services.fly(now=now))

    assert sum(bool(result) for result in results) == 1
    assert (steps(), SaleQueue.objects.get().admit_per_second) == (1, 0.2)


def test_control_without_the_lock_all_of_them_decide(flown, now, monkeypatch):
    everybody_has_read = Barrier(MANY)

    class Unlocked:
        """Everybody reads the pilot before anybody writes it."""

        @staticmethod
        def read(pilot, moment):
            everybody_has_read.wait(10)
            return True

    monkeypatch.setattr(piloting, "queue_for_update", lambda pk: SaleQueue.objects.get(pk=pk))
    monkeypatch.setattr(piloting.Autopilot, "is_due", Unlocked.read)

    results = together(MANY, lambda _: services.fly(now=now))

    assert sum(bool(result) for result in results) > 1


def test_somebody_who_waits_for_a_lock_is_a_slow_database(flown):
    held, seen = Event(), Event()

    def work(number):
        with transaction.atomic():
            if number:
                held.wait(10)
            queue_for_update(flown.pk)
            held.set()
            if not number:
                seen.wait(10)

    def watch():
        held.wait(10)
        for _ in range(500):
            if (waited := selectors.database_times()["lock_ms"]) > 0:
                break
        seen.set()
        return waited

    waited = together(3, lambda number: watch() if number == 2 else work(number))[2]

    assert waited > 0
    assert selectors.database_times()["lock_ms"] == 0
