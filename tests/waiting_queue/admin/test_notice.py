"""The operator's message to everyone in line, from the queue's page."""

import pytest
from django.urls import reverse

from waiting_queue import selectors, services
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db


def url(queue):
    return reverse("admin:queue_salequeue_tell", args=[queue.pk])


def page_of(queue):
    return reverse("admin:queue_salequeue_change", args=[queue.pk])


def post(client, queue, message, reason="", **more):
    return client.post(url(queue), {"confirmed": "1", "message": message, "reason": reason}, **more)


def test_a_message_is_set_and_recorded(operator_client, queue, operator):
    answer = post(operator_client, queue, "Doors open late.", "rain", follow=True)

    change = QueueChange.objects.get()
    assert answer.redirect_chain == [(page_of(queue), 302)]
    assert "Everyone in line reads: “Doors open late.”" in answer.content.decode()
    assert (change.by, change.after, change.why) == (operator, "Doors open late.", "rain")


def test_the_page_shows_the_present_message_and_changes_nothing(operator_client, queue, now):
    services.set_notice(event_id=queue.pk, message="<b>late</b>", by=None, now=now)

    html = operator_client.get(url(queue)).content.decode()

    assert html.count("&lt;b&gt;late&lt;/b&gt;") == 2  # as text and in the field
    assert QueueChange.objects.count() == 1


def test_an_empty_message_removes_it(operator_client, queue, now):
    services.set_notice(event_id=queue.pk, message="late", by=None, now=now)

    answer = post(operator_client, queue, "", follow=True)

    assert selectors.current_notice(queue.pk) == ""
    assert b"There is no message any more." in answer.content


@pytest.mark.parametrize("message", ["x" * 301, "one\ntwo"])
def test_an_invalid_message_is_marked_in_the_form(message, operator_client, queue):
    answer = post(operator_client, queue, message)

    assert answer.status_code == 200
    assert answer.context["form"].errors.keys() == {"message"}
    assert selectors.current_notice(queue.pk) == ""


def test_a_message_that_looks_like_a_state_is_shown_as_it_is(operator_client, queue):
    post(operator_client, queue, "open")

    html = operator_client.get(page_of(queue), headers={"accept-language": "ko"}).content.decode()

    assert "<td>→ open</td>" in html


def test_a_closed_queue_has_nobody_to_tell(operator_client, queue):
    SaleQueue.objects.update(state="closed")

    assert url(queue) not in operator_client.get(page_of(queue)).content.decode()
    assert operator_client.get(url(queue)).status_code == 409
    assert post(operator_client, queue, "late").status_code == 409
    assert not QueueChange.objects.exists()


def test_staff_without_permission_can_not_set_a_message(viewer_client, queue):
    assert viewer_client.get(url(queue)).status_code == 403
    assert post(viewer_client, queue, "late").status_code == 403
    assert url(queue) not in viewer_client.get(page_of(queue)).content.decode()
    assert selectors.current_notice(queue.pk) == ""


def test_a_fan_is_sent_to_the_log_in(client, fan, queue):
    client.force_login(fan, backend="django.contrib.auth.backends.ModelBackend")

    assert post(client, queue, "late").status_code == 302
    assert selectors.current_notice(queue.pk) == ""


def test_a_queue_that_is_not_there_is_not_found(operator_client, queue):
    assert operator_client.get(reverse("admin:queue_salequeue_tell", args=[0])).status_code == 404
