"""`queue_status`: a table, once or every second, and what is wrong below it."""

import os
import signal

import pytest
from django.core.management import CommandError

from tests.making import make_event
from tests.waiting_queue.commands.calling import run
from tests.waiting_queue.outage import no_queue_redis
from waiting_queue import services
from waiting_queue.management.commands import queue_status
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db


def cells(table, event_id):
    return next(line.split() for line in table.splitlines() if line.split()[0] == str(event_id))


@pytest.mark.django_db(transaction=True)
def test_the_table_says_how_many_are_where(open_queue, now):
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    for person in "123":
        services.join(event_id=open_queue.pk, person=person, now=now)

    table, _ = run("queue_status")

    _event, state, lobby, waiting, ready, inside, rate, _tick, journal, *_title = cells(
        table, open_queue.pk
    )
    assert (state, lobby, waiting, ready, inside) == ("paused", "0", "3", "0", "0/800")
    assert rate.endswith("/10")
    assert int(journal) >= 3


def test_queues_that_are_over_are_shown_only_when_asked_for(queue, now):
    over = SaleQueue.objects.create(event=make_event(now), opens_at=now, state="closed")

    table, _ = run("queue_status")
    asked, _ = run("queue_status", over.pk)

    assert cells(table, queue.pk)[1] == "scheduled"
    assert len(table.split("EVENT")[1].splitlines()) < 4
    assert cells(asked, over.pk)[1] == "open_sale"  # its line is closed, the sale is not


def test_an_event_without_a_queue_is_not_found(event):
    with pytest.raises(CommandError, match="Not found"):
        run("queue_status", event.pk)


def test_it_says_if_there_is_no_queue(db):
    assert "There is no queue." in run("queue_status")[0]


def test_knobs_that_do_not_fit_are_named_below(queue):
    assert "the rate of 10/s will not be reached" in run("queue_status")[0]


def test_without_redis_the_states_are_still_shown(open_queue):
    with no_queue_redis():
        table, _ = run("queue_status")

    assert cells(table, open_queue.pk)[1:3] == ["open", "-"]
    assert "Redis can't be reached" in table


def test_watching_goes_on_until_ctrl_c_and_ends_quietly(open_queue, monkeypatch):
    """Ctrl-C comes in the second pause; the pauses themselves are skipped."""
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(queue_status.time, "sleep", sleep)

    tables, errors = run("queue_status", watch=True)

    assert tables.count("EVENT") == 2
    assert pauses == [1, 1]
    assert errors == ""
