"""Operators find people by number or e-mail address."""

import pytest
from django.db import connection

from tests.making import make_user
from waiting_queue import errors, selectors, services
from waiting_queue.models import QueueJournal

pytestmark = pytest.mark.django_db


def test_somebody_is_found_by_number_while_waiting_and_afterwards(queue, operator, fan, now):
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    services.set_knobs(event_id=queue.pk, knobs={"admit_per_second": 0.01}, by=operator, now=now)
    services.tick_open_queues(now=now)
    other = make_user()
    for user in (other, fan):
        services.join(event_id=queue.pk, person=str(user.pk), now=now)
    number = services.standing(event_id=queue.pk, person=str(fan.pk), now=now).number

    waiting = selectors.user_by_email_or_number(event_id=queue.pk, text=f"#{number}")
    services.leave(event_id=queue.pk, person=str(fan.pk), now=now)
    services.drain_journals()

    assert waiting == selectors.user_by_email_or_number(event_id=queue.pk, text=str(number)) == fan
    assert selectors.user_by_email_or_number(event_id=queue.pk, text=fan.email.upper()) == fan
    with pytest.raises(errors.NumberUnknown):
        selectors.user_by_email_or_number(event_id=queue.pk, text="99999")


@pytest.mark.parametrize(("without", "finds"), [("", True), ("journal_of_a_number", False)])
def test_a_number_is_found_without_reading_the_whole_journal(queue, without, finds):
    """The control: without the index PostgreSQL has nothing to go by but the event."""
    numbered = QueueJournal.objects.filter(event_id=queue.pk, number=7)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        if without:
            cursor.execute(f"DROP INDEX {without}")

    plan = numbered.order_by("-pk").explain()

    assert ("number = 7" in plan.partition("Index Cond")[2].partition("\n")[0]) == finds
