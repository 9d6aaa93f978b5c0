"""Money never waits for mail: real workers, thousands of mails, and a silent mail server."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.conf import settings

from payments import tasks
from payments.models import OutboxMessage, Payment
from tests.waiting import wait_until
from ticketing.core import redis

pytestmark = pytest.mark.django_db(transaction=True)
WAITING = 10_000


@pytest.fixture
def silent_mail_server():
    """Accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def crowded(unanswered):
    """A payment that is due for settlement, and thousands of mails that are due, too."""
    about = {"reservation": unanswered.code, "payment": unanswered.payment.number}
    about |= {"fan": unanswered.fan.pk, "currency": "KRW", "language": "en"}
    OutboxMessage.objects.bulk_create(
        OutboxMessage(
            aggregate=f"reservation:X{n}",
            sequence=1,
            kind="ReservationConfirmed",
            body=about,
            created_at=unanswered.now,
            due_at=unanswered.now,
        )
        for n in range(WAITING)
    )
    Payment.objects.update(due_at=unanswered.now - timedelta(minutes=1))
    return unanswered


@contextmanager
def worker(*queues, mail_port):
    env = {
        "PORTONE_URL": settings.PORTONE_URL,
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(mail_port),
        "EMAIL_TLS": "off",
        "LOG_LEVEL": "ERROR",
    }
    options = ["--pool=threads", "--concurrency=1", f"--queues={','.join(queues)}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "-q", "-A", "ticketing", "worker", *options],
        env=os.environ | env,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def is_delivering():
    return OutboxMessage.objects.filter(attempts__gt=0).exists()


def test_a_payment_is_settled_while_mails_wait_for_their_server(crowded, silent_mail_server):
    for _ in range(3):
        tasks.deliver.delay()

    with worker("mail", mail_port=silent_mail_server):
        wait_until(is_delivering, seconds=60)
        tasks.resume.delay()
        with worker("payments", mail_port=silent_mail_server):
            wait_until(lambda: crowded.payment.state == "succeeded", seconds=60)

    of_the_crowd = OutboxMessage.objects.exclude(aggregate=f"reservation:{crowded.code}")
    assert of_the_crowd.filter(state="waiting").count() == WAITING


def test_control_on_one_queue_the_payment_waits_behind_the_mails(crowded, silent_mail_server):
    for _ in range(3):
        tasks.deliver.apply_async(queue="payments")
    tasks.resume.delay()

    with worker("payments", mail_port=silent_mail_server):
        wait_until(is_delivering, seconds=60)

        assert redis.client().llen("payments") > 0
        assert crowded.payment.state == "charging"
