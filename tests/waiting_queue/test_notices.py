"""A message to everyone in line: put up, changed, taken back, and noted each time."""

from itertools import pairwise
from threading import Barrier

import pytest
from django.db import connection

from tests.race import together
from ticketing.core.errors import InvalidInput, NotFound
from waiting_queue import selectors, services
from waiting_queue.errors import NoQueue, QueueOver
from waiting_queue.models import NOTICE_MAX_LENGTH, QueueChange, SaleQueue
from waiting_queue.services import notices

pytestmark = pytest.mark.django_db
MANY = 8


def tell(queue, message, now, by=None, **more):
    return services.set_notice(event_id=queue.pk, message=message, by=by, now=now, **more)


def steps():
    changes = QueueChange.objects.filter(what="notice").order_by("id")
    return list(changes.values_list("before", "after"))


def test_a_message_is_put_up_and_noted(queue, operator, now):
    tell(queue, "  문이 20분 늦게 열려요. ☔ ", now, by=operator, why="rain")

    change = QueueChange.objects.get()
    assert selectors.current_notice(queue.pk) == "문이 20분 늦게 열려요. ☔"
    assert (change.what, change.before, change.after) == ("notice", "", "문이 20분 늦게 열려요. ☔")
    assert (change.by, change.at, change.why) == (operator, now, "rain")


def test_another_takes_its_place_and_an_empty_one_takes_it_back(queue, now):
    for message in ("late", "later", "   "):
        tell(queue, message, now)

    assert selectors.current_notice(queue.pk) == ""
    assert steps() == [("", "late"), ("late", "later"), ("later", "")]


def test_saying_the_same_again_is_no_change(queue, now):
    tell(queue, "late", now)
    tell(queue, "late ", now)

    assert steps() == [("", "late")]


def test_the_history_keeps_the_longest_message_whole(queue, now):
    longest = "가" * NOTICE_MAX_LENGTH

    tell(queue, longest, now)

    assert steps() == [("", longest)]


@pytest.mark.parametrize(
    "message",
    [
        "x" * (NOTICE_MAX_LENGTH + 1),
        "a\nb",
        "a\tb",
        "a\x00b",
        "a\x1b[2Jb",
        "a\x85b",
        "a\u2028b",
        "\udc80",
    ],
    ids=ascii,
)
def test_what_is_too_long_or_has_control_characters_is_refused(message, queue, now):
    tell(queue, "late", now)

    with pytest.raises(InvalidInput) as refusal:
        tell(queue, message, now)

    assert refusal.value.details["fields"]["message"]
    assert selectors.current_notice(queue.pk) == "late"
    assert len(steps()) == 1


@pytest.mark.parametrize("state", SaleQueue.State)
def test_a_queue_has_a_message_until_it_is_closed(state, queue, now):
    SaleQueue.objects.update(state=state)

    if state == SaleQueue.State.CLOSED:
        with pytest.raises(QueueOver):
            tell(queue, "late", now)
    else:
        tell(queue, "late", now)

    assert bool(steps()) is (state != SaleQueue.State.CLOSED)


def test_an_event_without_a_queue_has_no_message(event, now):
    with pytest.raises(NotFound):
        services.set_notice(event_id=event.pk, message="late", by=None, now=now)
    with pytest.raises(NoQueue):
        selectors.current_notice(event.pk)


def test_knobs_and_moves_leave_the_message_alone(queue, now):
    tell(queue, "late", now)
    services.set_knobs(event_id=queue.pk, knobs={"max_inside": 5}, by=None, now=now)
    services.move_queue(event_id=queue.pk, to="open", by=None, now=now)

    assert selectors.current_notice(queue.pk) == "late"


def test_a_process_of_the_release_before_can_still_make_a_queue(queue):
    """It does not name the column."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select column_default is not null from information_schema.columns"
            " where table_name = 'queue_salequeue' and column_name = 'notice'"
        )
        assert cursor.fetchone() == (True,)


# -- operators who speak at the same moment -------------------------------------------------------


@pytest.fixture
def unlocked(monkeypatch):
    """The control: everybody reads the queue before anybody writes it, as without a lock."""
    everybody_has_read = Barrier(MANY)

    def queue_without_lock(event_id: int) -> SaleQueue:
        queue = SaleQueue.objects.get(pk=event_id)
        everybody_has_read.wait(10)
        return queue

    monkeypatch.setattr(notices, "queue_for_update", queue_without_lock)


def history_is_a_chain(queue, now):
    together(MANY, lambda number: tell(queue, f"message {number}", now))
    assert len(steps()) == MANY
    return all(after == before for (_, after), (before, _) in pairwise(steps()))


@pytest.mark.django_db(transaction=True)
def test_the_history_of_messages_is_a_chain(queue, now):
    assert history_is_a_chain(queue, now)


@pytest.mark.django_db(transaction=True)
def test_control_without_the_lock_the_history_is_torn(queue, now, unlocked):
    assert not history_is_a_chain(queue, now)
