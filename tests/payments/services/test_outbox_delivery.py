"""Messages: with the transaction or not at all, in order, at least once, and never lost."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction

from payments import locks, outbox, services
from payments.models import OutboxMessage
from payments.outbox import mails
from payments.services import outbox_delivery
from tests.payments.buyers import add_earlier_message
from tests.race import wait_unless_blocking
from tests.waiting_queue.commands.calling import run
from ticketing.core.errors import IllegalMove

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


@pytest.fixture
def bought(buyer):
    """With two messages, of which the first has no mail."""
    buyer.buy()
    add_earlier_message(buyer)
    return buyer


def states():
    return list(OutboxMessage.objects.order_by("sequence").values_list("state", flat=True))


def test_who_bought_gets_a_mail_in_their_language(bought, mailoutbox):
    assert services.deliver_messages(now=bought.now) == 2

    (mail,) = mailoutbox
    assert mail.to == [bought.fan.email]
    assert "Your seats" in mail.subject
    assert bought.code in mail.body
    assert "A, row 1, seat 1" in mail.body
    assert states() == ["delivered", "delivered"]


def test_a_rolled_back_transaction_leaves_no_message(bought):
    with transaction.atomic():
        outbox.add(bought.payment, bought.reservation, "Refunded", now=bought.now)
        transaction.set_rollback(True)

    assert OutboxMessage.objects.count() == 2


def test_a_message_waits_for_those_before_it(bought, monkeypatch):
    def away(message, related, connection):
        raise OSError("no mail server")

    monkeypatch.setattr(mails, "send_about", away)

    assert services.deliver_messages(now=bought.now) == 1
    assert states() == ["waiting", "waiting"]
    assert OutboxMessage.objects.get(sequence=0).error == "no mail server"

    monkeypatch.undo()
    services.deliver_messages(now=bought.now + timedelta(minutes=1))
    assert states() == ["delivered", "delivered"]


def test_what_can_not_be_delivered_dies_steps_aside_and_can_be_revived(
    bought, monkeypatch, mailoutbox
):
    real = mails.send_about

    def picky(message, related, connection):
        if message.kind == "PaymentSucceeded":
            raise OSError("never")
        real(message, related, connection)

    monkeypatch.setattr(mails, "send_about", picky)
    for hour in range(outbox_delivery.ATTEMPTS + 1):
        services.deliver_messages(now=bought.now + timedelta(hours=hour))
    assert states() == ["dead", "delivered"]
    assert len(mailoutbox) == 1

    monkeypatch.undo()
    message = OutboxMessage.objects.get(state="dead")
    services.revive_message(pk=message.pk, now=bought.now)
    services.deliver_messages(now=bought.now)
    assert states() == ["delivered", "delivered"]


def revive_while_another_does(bought, monkeypatch):
    """Another operator revives the message, which is delivered, before the first one commits."""
    OutboxMessage.objects.update(state="dead")
    message = OutboxMessage.objects.get(kind=outbox.RESERVATION_CONFIRMED)
    read, others = locks.message_for_update, []

    def revive_and_deliver():
        try:
            services.revive_message(pk=message.pk, now=bought.now)
            services.deliver_messages(now=bought.now)
        finally:
            connection.close()

    def read_slowly(pk):
        found = read(pk)
        if not others:
            others.append(threads.submit(revive_and_deliver))
            wait_unless_blocking(others[0].done)
        return found

    monkeypatch.setattr(locks, "message_for_update", read_slowly)
    with ThreadPoolExecutor(1) as threads:
        services.revive_message(pk=message.pk, now=bought.now)
    services.deliver_messages(now=bought.now)
    return others[0].exception()


def test_of_two_operators_one_revives_a_message(bought, monkeypatch, mailoutbox):
    assert isinstance(revive_while_another_does(bought, monkeypatch), IllegalMove)
    assert len(mailoutbox) == 1


def test_control_without_the_lock_it_is_delivered_twice(bought, monkeypatch, mailoutbox):
    monkeypatch.setattr(locks, "message_for_update", lambda pk: OutboxMessage.objects.get(pk=pk))

    assert revive_while_another_does(bought, monkeypatch) is None
    assert len(mailoutbox) == 2


def test_a_courier_that_dies_is_replaced(bought, monkeypatch, mailoutbox):
    class PowerCut(BaseException):
        pass

    def dies(message, related, connection):
        raise PowerCut

    monkeypatch.setattr(mails, "send_about", dies)
    with pytest.raises(PowerCut):
        services.deliver_messages(now=bought.now)
    monkeypatch.undo()

    assert services.deliver_messages(now=bought.now) == 0  # it might still be at work
    after = bought.now + outbox_delivery.LEASE + timedelta(seconds=5)
    assert services.deliver_messages(now=after) == 2
    assert len(mailoutbox) == 1


# -- commands -------------------------------------------------------------------------------------


def test_the_outbox_is_drained_by_hand(bought, mailoutbox):
    out, _ = run("outbox_drain")

    assert "2 messages were tried; 0 wait, 0 are dead." in out
    assert len(mailoutbox) == 1


def test_payments_are_resumed_by_hand(buyer):
    payment = buyer.start()

    out, _ = run("payments_resume", payment.number)

    assert f"{payment.number}: prepared" in out
    assert "Breaker closed" in out
    assert payment.steps.filter(note="checked by an operator").exists()
