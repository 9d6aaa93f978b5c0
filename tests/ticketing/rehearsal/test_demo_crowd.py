"""The demo's crowd: new people each time, and a sale that is left as it was."""

import socket

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from ticketing.accounts import services as accounts
from ticketing.accounts.models import Consent, LegalDocument
from ticketing.events.models import Event
from ticketing.rehearsal import services
from waiting_queue.models import SaleQueue
from waiting_queue.services import set_knobs

pytestmark = pytest.mark.django_db


@pytest.fixture
def queue(sale):
    SaleQueue.objects.filter(pk=sale.pk).update(admit_per_second=40)
    return SaleQueue.objects.get(pk=sale.pk)


def pace(queue):
    return SaleQueue.objects.get(pk=queue.pk).admit_per_second


def test_each_crowd_is_new_logged_in_and_has_agreed(now):
    accounts.add_default_documents(now=now)
    first, second = (services.make_crowd(count=2) for _ in range(2))

    assert len({one.id for one in (*first, *second)}) == 4
    client = Client()
    client.cookies["sessionid"] = second[1].session
    assert client.get("/api/v1/me/").json()["id"] == second[1].id
    agreed = Consent.objects.filter(user=second[1].id).values_list("document__kind", flat=True)
    assert {*agreed} == {*LegalDocument.REQUIRED, *LegalDocument.OF_ORDERS}


def test_the_sale_is_slow_until_the_crowd_has_gone(queue):
    def stopped() -> None:
        with services.slow_sale(queue.pk, at_most=0.5):
            assert pace(queue) == 0.5
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert pace(queue) == 40


def test_what_an_operator_changed_meanwhile_stays(queue, now):
    with services.slow_sale(queue.pk, at_most=0.5):
        set_knobs(event_id=queue.pk, knobs={"admit_per_second": 3}, by=None, now=now)

    assert pace(queue) == 3


def test_a_slower_sale_is_left_alone(queue):
    with services.slow_sale(queue.pk, at_most=50):
        assert pace(queue) == 40


def test_a_real_site_has_no_crowd(queue, settings):
    settings.DEVELOPMENT = False

    with pytest.raises(CommandError, match="not for a real site"):
        call_command("demo_crowd", str(queue.pk))


def test_only_a_running_sale_can_be_filled():
    with pytest.raises(CommandError, match="no line, or is not on sale"):
        call_command("demo_crowd", "12345")


def test_without_a_site_on_that_port_it_says_so_and_leaves_the_sale_alone(queue, settings):
    Event.objects.update(state=Event.State.ON_SALE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        settings.PORT = free.getsockname()[1]

    with pytest.raises(CommandError, match=rf"port {settings.PORT}.*PORT="):
        call_command("demo_crowd", str(queue.pk))
    assert pace(queue) == 40
