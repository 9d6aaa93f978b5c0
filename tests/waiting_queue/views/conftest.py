import pytest
from django.test import Client

from tests.waiting_queue.views.pages import BACKEND
from ticketing.core import clock
from waiting_queue import services
from waiting_queue.models import SaleQueue


@pytest.fixture
def client(client: Client) -> Client:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    client.defaults["HTTP_ACCEPT"] = "text/html"
    return client


@pytest.fixture
def me(client, fan) -> Client:
    client.force_login(fan, backend=BACKEND)
    return client


@pytest.fixture
def slow_queue(open_queue) -> SaleQueue:
    """Somebody is inside, and there is no room for another: those who join wait."""
    SaleQueue.objects.update(admit_per_second=0)
    services.tick_open_queues(now=clock.now())
    services.join(event_id=open_queue.pk, person="900000", now=clock.now())
    SaleQueue.objects.update(max_inside=1)
    services.tick_open_queues(now=clock.now())
    return open_queue
