"""Pages for groups: demotion, and the list of those who need not wait."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.making import make_user
from tests.waiting_queue.services.steps import join_all
from ticketing.core import redis
from waiting_queue import keys, services, store
from waiting_queue.models import QueueBypass, QueueChange

pytestmark = pytest.mark.django_db(transaction=True)
ADD = "admin:queue_queuebypass_add"
LIST = "admin:queue_queuebypass_changelist"


@pytest.fixture
def people():
    return [make_user() for _ in range(3)]


@pytest.fixture
def waiting(open_queue, people, now):
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    join_all(open_queue, [str(user.pk) for user in people], now)
    return open_queue


def demotion_page(queue):
    return reverse("admin:queue_salequeue_demote", args=[queue.pk])


def order(queue):
    return redis.queue_client().zrange(keys.key(queue.pk, "line"), 0, -1)


def test_a_group_is_typed_and_uploaded(operator_client, waiting, people):
    file = SimpleUploadedFile("people.txt", f"{people[1].email}\nnobody@example.com".encode())
    data = {"people": "#1", "file": file, "reason": "one household", "confirmed": "1"}

    page = operator_client.post(demotion_page(waiting), data, follow=True).content.decode()

    assert order(waiting) == [str(people[i].pk) for i in (2, 0, 1)]
    assert "2 of 3 people were moved to the end of the line." in page
    assert "nobody@example.com" in page


@pytest.mark.parametrize("missing", ["people", "reason"])
def test_people_and_a_reason_are_needed(operator_client, waiting, people, missing):
    data = {"people": "#1", "reason": "x", "confirmed": "1"} | {missing: ""}

    page = operator_client.post(demotion_page(waiting), data)

    assert page.status_code == 200
    assert order(waiting)[0] == str(people[0].pk)


def test_only_those_who_may_change_queues_move_people(viewer_client, waiting):
    assert viewer_client.post(demotion_page(waiting), {"people": "#1"}).status_code == 403
    assert viewer_client.get(reverse(ADD)).status_code == 403


def test_somebody_is_let_in_found_and_ended(operator_client, open_queue, people, operator):
    data = {"queue": open_queue.pk, "email": people[0].email, "reason": "press", "confirmed": "1"}

    page = operator_client.post(reverse(ADD), data, follow=True).content.decode()

    assert "enters without waiting" in page
    assert store.bypassing(open_queue.pk) == {str(people[0].pk)}
    found = operator_client.get(reverse(LIST), {"q": people[0].email}).content.decode()
    assert "press" in found
    entry = QueueBypass.objects.get()
    assert (entry.by, entry.reason) == (operator, "press")
    end = reverse("admin:queue_queuebypass_end", args=[entry.pk])
    assert (
        end
        in operator_client.get(
            reverse("admin:queue_queuebypass_change", args=[entry.pk])
        ).content.decode()
    )

    operator_client.post(end, {"reason": "over", "confirmed": "1"})

    assert store.bypassing(open_queue.pk) == set()
    assert QueueChange.objects.latest("id").after == "bypass_ended"
    assert operator_client.get(end).status_code == 404


@pytest.mark.parametrize("action", ["demote", "bypass"])
def test_actions_on_one_person(operator_client, waiting, people, action):
    page = reverse("admin:queue_salequeue_person", args=[waiting.pk, people[0].pk, action])
    assert operator_client.get(page).status_code == 200

    operator_client.post(page, {"reason": "a reason", "confirmed": "1"})

    undo = {"demote": "restore", "bypass": "end_bypass"}[action]
    page = reverse("admin:queue_salequeue_person", args=[waiting.pk, people[0].pk, undo])
    assert operator_client.post(page, {"reason": "", "confirmed": "1"}).status_code == 302
    assert order(waiting)[0] == str(people[0].pk)
