"""The message to everyone in line is set, replaced, removed, and recorded each time."""

import pytest
from django.db import connection

from ticketing.core.errors import InvalidInput, NotFound
from waiting_queue import selectors, services
from waiting_queue.errors import NoQueue, QueueOver
from waiting_queue.models import NOTICE_MAX_LENGTH, QueueChange, SaleQueue

pytestmark = pytest.mark.django_db


def set_notice(queue, message, now, by=None, **options):
    return services.set_notice(event_id=queue.pk, message=message, by=by, now=now, **options)


def recorded():
    changes = QueueChange.objects.filter(what="notice").order_by("id")
    return list(changes.values_list("before", "after"))


def test_a_message_is_set_and_recorded(queue, operator, now):
    set_notice(queue, "  문이 20분 늦게 열려요. ☔ ", now, by=operator, why="rain")

    change = QueueChange.objects.get()
    assert selectors.current_notice(queue.pk) == "문이 20분 늦게 열려요. ☔"
    assert (change.what, change.before, change.after) == ("notice", "", "문이 20분 늦게 열려요. ☔")
    assert (change.by, change.at, change.why) == (operator, now, "rain")


def test_another_message_replaces_it_and_an_empty_one_removes_it(queue, now):
    for message in ("late", "later", "   "):
        set_notice(queue, message, now)

    assert selectors.current_notice(queue.pk) == ""
    assert recorded() == [("", "late"), ("late", "later"), ("later", "")]


def test_setting_the_same_message_again_is_no_change(queue, now):
    set_notice(queue, "late", now)
    set_notice(queue, "late ", now)

    assert recorded() == [("", "late")]


def test_the_history_keeps_the_longest_message_whole(queue, now):
    longest = "가" * NOTICE_MAX_LENGTH

    set_notice(queue, longest, now)

    assert recorded() == [("", longest)]


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
def test_a_message_that_is_too_long_or_has_control_characters_is_refused(message, queue, now):
    set_notice(queue, "late", now)

    with pytest.raises(InvalidInput) as refusal:
        set_notice(queue, message, now)

    assert refusal.value.details["fields"]["message"]
    assert selectors.current_notice(queue.pk) == "late"
    assert len(recorded()) == 1


@pytest.mark.parametrize("state", SaleQueue.State)
def test_a_queue_has_a_message_until_it_is_closed(state, queue, now):
    SaleQueue.objects.update(state=state)

    if state == SaleQueue.State.CLOSED:
        with pytest.raises(QueueOver):
            set_notice(queue, "late", now)
    else:
        set_notice(queue, "late", now)

    assert bool(recorded()) is (state != SaleQueue.State.CLOSED)


def test_an_event_without_a_queue_has_no_message(event, now):
    with pytest.raises(NotFound):
        services.set_notice(event_id=event.pk, message="late", by=None, now=now)
    with pytest.raises(NoQueue):
        selectors.current_notice(event.pk)


def test_knobs_and_moves_leave_the_message_alone(queue, now):
    set_notice(queue, "late", now)
    services.set_knobs(event_id=queue.pk, knobs={"max_inside": 5}, by=None, now=now)
    services.move_queue(event_id=queue.pk, to="open", by=None, now=now)

    assert selectors.current_notice(queue.pk) == "late"


def test_a_process_of_the_previous_release_can_still_create_a_queue(queue):
    """Its INSERT does not name the column."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select column_default is not null from information_schema.columns"
            " where table_name = 'queue_salequeue' and column_name = 'notice'"
        )
        assert cursor.fetchone() == (True,)
