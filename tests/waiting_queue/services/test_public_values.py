"""The public value of a draw: announced before the lobby, entered once before the opening."""

from threading import Barrier

import pytest

from tests.race import together, winners
from ticketing.core.errors import InvalidInput
from waiting_queue import selectors, services
from waiting_queue.errors import PublicValueFixed, PublicValueNotAnnounced, PublicValueTooLate
from waiting_queue.models import QueueChange, QueueDraw, SaleQueue
from waiting_queue.services import public_values

pytestmark = pytest.mark.django_db(transaction=True)
SOURCE, VALUE = "lottery of 21 November", "7 11 19 23 30 41"
MANY = 8


@pytest.fixture
def audit(queue, operator, now):
    return {"event_id": queue.pk, "by": operator, "now": now}


@pytest.fixture
def announced(audit):
    return services.announce_public_value(source=f" {SOURCE} ", why="fair", **audit)


def move(audit, *states):
    for state in states:
        services.move_queue(to=state, **audit)


def test_both_steps_are_recorded(announced, audit, operator):
    services.enter_public_value(value=VALUE, **audit)

    rows = QueueChange.objects.order_by("id").values_list("what", "before", "after", "by", "why")
    assert list(rows) == [
        ("public_value_source", "", SOURCE, operator.pk, "fair"),
        ("public_value", "", VALUE, operator.pk, ""),
    ]


def test_a_value_needs_an_announcement(audit):
    with pytest.raises(PublicValueNotAnnounced):
        services.enter_public_value(value=VALUE, **audit)


def test_a_value_stays_and_so_does_its_announcement(announced, audit):
    services.enter_public_value(value=VALUE, **audit)

    with pytest.raises(PublicValueFixed):
        services.enter_public_value(value="1 2 3", **audit)
    with pytest.raises(PublicValueFixed):
        services.announce_public_value(source="another lottery", **audit)
    services.enter_public_value(value=VALUE, **audit)  # a double click
    assert QueueChange.objects.count() == 2


def test_until_the_lobby_opens_an_announcement_can_be_changed_and_taken_back(announced, audit):
    services.announce_public_value(source="another lottery", **audit)
    services.announce_public_value(source="", **audit)

    assert SaleQueue.objects.get().public_value_source == ""
    assert QueueChange.objects.count() == 3


def test_once_the_lobby_is_open_only_the_announced_value_can_be_entered(announced, audit):
    move(audit, "lobby")

    with pytest.raises(PublicValueTooLate):
        services.announce_public_value(source="another lottery", **audit)
    assert services.enter_public_value(value=VALUE, **audit).public_value == VALUE


def test_after_the_opening_it_is_too_late_and_the_history_says_so(announced, audit):
    move(audit, "lobby", "open")

    with pytest.raises(PublicValueTooLate):
        services.enter_public_value(value=VALUE, **audit)
    change = QueueChange.objects.get(what="public_value")
    assert (change.by, change.after, change.why) == (None, "", "public_value_missing")


@pytest.mark.parametrize("value", ["", "  ", "x" * 201, "one\ntwo"])
def test_an_invalid_value_is_refused(value, announced, audit):
    with pytest.raises(InvalidInput):
        services.enter_public_value(value=value, **audit)

    assert SaleQueue.objects.get().public_value == ""


def test_the_value_is_part_of_the_seed(announced, audit, queue, now):
    move(audit, "lobby")
    for person in range(5):
        services.join(event_id=queue.pk, person=str(person), now=now)
    services.enter_public_value(value=VALUE, **audit)
    move(audit, "open")
    services.tick_open_queues(now=now)

    published = selectors.published_draw(SaleQueue.objects.get())
    without = selectors.derived_seed(published["secret"], published["lobby_sha256"], "")
    assert QueueDraw.objects.get().seed != without
    assert all(check.passed for check in selectors.draw_checks(published, noted_value=VALUE))


def test_a_reset_sale_has_a_new_secret_and_no_value(announced, audit, event):
    services.enter_public_value(value=VALUE, **audit)
    before = SaleQueue.objects.get().secret_sha256
    type(event).objects.update(state="announced")
    move(audit, "lobby")

    after = services.reset_sale(**audit)

    assert (after.public_value_source, after.public_value) == ("", "")
    assert after.secret_sha256 != before


# -- at the same moment ---------------------------------------------------------------------------


def enter_together(audit):
    def enter(number):
        return services.enter_public_value(value=f"value {number}", **audit)

    return together(MANY, enter)


def test_of_many_different_values_one_is_entered(announced, audit):
    assert len(winners(enter_together(audit))) == 1
    assert QueueChange.objects.filter(what="public_value").count() == 1


def test_control_without_the_lock_a_value_is_overwritten(announced, audit, unlocked):
    assert len(winners(enter_together(audit))) == MANY
    assert QueueChange.objects.filter(what="public_value").count() == MANY


@pytest.fixture
def unlocked(monkeypatch):
    """The control: all threads read the queue before any of them writes it, as without a lock."""
    all_have_read = Barrier(MANY)

    def queue_without_lock(event_id: int) -> SaleQueue:
        queue = SaleQueue.objects.get(pk=event_id)
        all_have_read.wait(60)
        return queue

    monkeypatch.setattr(public_values, "queue_for_update", queue_without_lock)
