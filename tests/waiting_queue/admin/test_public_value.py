"""The public value of a draw, from the queue's page and from the shell."""

import pytest
from django.core.management import CommandError
from django.urls import reverse

from tests.waiting_queue.commands.calling import run
from waiting_queue import services
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db


def url(queue, name):
    return reverse(f"admin:queue_salequeue_{name}", args=[queue.pk])


def post(client, queue, name, **fields):
    return client.post(url(queue, name), {"confirmed": "1", "reason": "", **fields}, follow=True)


def test_a_value_is_announced_and_entered(operator_client, queue, operator):
    announced = post(
        operator_client, queue, "announce", public_value_source="<b>lottery</b>", reason="fair"
    )
    entered = post(operator_client, queue, "public_value", public_value="off")

    after = SaleQueue.objects.get()
    assert (after.public_value_source, after.public_value) == ("<b>lottery</b>", "off")
    assert url(queue, "public_value") in announced.content.decode()
    assert url(queue, "public_value") not in entered.content.decode()
    assert "&lt;b&gt;lottery&lt;/b&gt;" in entered.content.decode()
    assert "→ off" in entered.content.decode()  # as it was written, not as a label
    assert set(QueueChange.objects.values_list("by", flat=True)) == {operator.pk}


def test_the_form_says_what_was_announced(operator_client, queue, now):
    services.announce_public_value(event_id=queue.pk, source="lottery", by=None, now=now)

    page = operator_client.get(url(queue, "public_value")).content.decode()

    assert "Announced: “lottery”" in page


def test_without_an_announcement_nothing_can_be_entered(operator_client, queue):
    assert operator_client.get(url(queue, "public_value")).status_code == 409


@pytest.mark.parametrize("value", ["", "one\ntwo", "x" * 201])
def test_an_invalid_value_is_marked_in_the_form(value, operator_client, queue, now):
    services.announce_public_value(event_id=queue.pk, source="lottery", by=None, now=now)

    answer = post(operator_client, queue, "public_value", public_value=value)

    assert answer.context["form"].errors.keys() == {"public_value"}


def test_the_command_does_the_same(queue, operator):
    run("queue_public_value", queue.pk, announce="lottery", by=operator.email)
    out, _ = run("queue_public_value", queue.pk, enter="7 11 19", by=operator.email)
    shown, _ = run("queue_public_value", queue.pk)

    assert out == shown == "Announced: lottery\nEntered:   7 11 19\n"
    with pytest.raises(CommandError, match="can’t be changed"):
        run("queue_public_value", queue.pk, enter="8")
