"""Answers to one person are kept by nobody; one place says so, for every part of the API."""

import pytest
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from payments.api.views import FanView as Payer
from reservations.api.doors import DoorView
from reservations.api.views import FanView as Holder
from ticketing.core.api_views import NoStoreView
from ticketing.rehearsal.api.views import RehearsalApiView
from waiting_queue.api.views import QueueApiView


@pytest.mark.parametrize("base", [Payer, Holder, DoorView, RehearsalApiView, QueueApiView])
def test_whoever_answers_one_person_says_so(base):
    class View(base):
        authentication_classes = permission_classes = ()

        def get(self, request, **_):
            return Response({})

    answer = View.as_view()(APIRequestFactory().get("/"), event_id=1)

    assert issubclass(base, NoStoreView)
    assert answer["Cache-Control"] == "no-store"


ADDRESSES = (
    *("payments/pay-1/", "events/1/reservations/", "events/1/queue/"),
    *("door/events/1/counts/", "rehearsals/R1/"),
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_refusal_is_not_kept_either(address, client, db):
    answer = client.get(f"/api/v1/{address}")

    assert answer.status_code in (401, 403, 404, 405)
    assert answer["Cache-Control"] == "no-store"
