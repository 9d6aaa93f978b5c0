"""`queue_tell`, the shell twin of the admin's page."""

import pytest
from django.core.management import CommandError

from tests.waiting_queue.commands.calling import run
from waiting_queue import selectors, services
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db


def test_a_message_is_set_shown_and_removed(queue, operator):
    set_, _ = run("queue_tell", queue.pk, "Doors open late.", by=operator.email, why="rain")
    shown, _ = run("queue_tell", queue.pk)
    cleared, _ = run("queue_tell", queue.pk, "--clear")

    assert set_ == shown == "Everyone in line reads: Doors open late.\n"
    assert cleared == "There is no message.\n"
    assert [(change.by, change.why) for change in QueueChange.objects.order_by("id")] == [
        (operator, "rain"),
        (None, "from the command line"),
    ]


def test_an_empty_message_removes_it_too(queue, now):
    services.set_notice(event_id=queue.pk, message="late", by=None, now=now)

    run("queue_tell", queue.pk, "")

    assert selectors.current_notice(queue.pk) == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["x" * 301], "message: .*300"),
        (["a\x1bb"], "message: Write one line, without control characters."),
        (["late", "--clear"], "not allowed with"),
    ],
)
def test_an_invalid_message_says_why(arguments, error, queue):
    with pytest.raises(CommandError, match=error):
        run("queue_tell", queue.pk, *arguments)

    assert not QueueChange.objects.exists()


def test_a_closed_queue_has_nobody_to_tell(queue):
    SaleQueue.objects.update(state="closed")

    with pytest.raises(CommandError, match="The queue is closed"):
        run("queue_tell", queue.pk, "late")


@pytest.mark.parametrize("arguments", [["late"], ["--clear"], []])
def test_a_queue_that_is_not_there_is_not_found(arguments, db):
    with pytest.raises(CommandError, match=r"Not found|has no queue"):
        run("queue_tell", 0, *arguments)
