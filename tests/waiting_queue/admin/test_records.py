"""Lists of queues and their records: few queries, bounded pages, read-only."""

import pytest
from django.urls import reverse
from django.utils import translation

from tests.making import make_event
from waiting_queue import services
from waiting_queue.models import QueueChange, QueueDraw, QueueJournal, SaleQueue
from waiting_queue.selectors.labels import reason_label

pytestmark = pytest.mark.django_db
LISTS = ("salequeue", "queuechange", "queuejournal", "queuedraw")


@pytest.fixture
def drawn(queue, operator, now):
    services.move_queue(event_id=queue.pk, to="lobby", by=operator, now=now)
    QueueDraw.objects.create(
        queue=queue, at=now, seed="5eed" * 16, people=[f"9{n:07}" for n in range(50_000)]
    )
    return queue


@pytest.fixture
def journal(queue, now):
    QueueJournal.objects.bulk_create(
        QueueJournal(event=queue.event, entry=str(n), at=now, person=n, kind="join", number=n)
        for n in range(1, 1_001)
    )


@pytest.mark.parametrize("model", LISTS)
def test_a_list_takes_few_queries(
    model, operator_client, drawn, journal, now, django_assert_max_num_queries
):
    for _ in range(5):
        SaleQueue.objects.create(event=make_event(now), opens_at=now)

    with django_assert_max_num_queries(10):
        response = operator_client.get(reverse(f"admin:queue_{model}_changelist"))

    assert response.status_code == 200
    assert len(response.content) < 100_000


def test_a_queues_page_takes_few_queries(
    operator_client, drawn, journal, django_assert_max_num_queries
):
    with django_assert_max_num_queries(8):
        response = operator_client.get(reverse("admin:queue_salequeue_change", args=[drawn.pk]))

    assert response.status_code == 200


def test_a_draw_is_shown_without_its_list_and_without_its_seed_until_it_is_over(
    operator_client, drawn, now
):
    address = reverse("admin:queue_queuedraw_change", args=[drawn.pk])
    before = operator_client.get(address).content.decode()
    QueueDraw.objects.update(finished_at=now)
    after = operator_client.get(address).content.decode()

    assert "5eed" * 16 not in before
    assert "5eed" * 16 in after
    assert "90000001" not in after


@pytest.mark.parametrize("model", LISTS[1:])
def test_records_are_edited_by_nobody(model, operator_client, drawn, journal):
    kind = {"queuechange": drawn.changes.first(), "queuedraw": drawn.draw}
    row = kind.get(model) or QueueJournal.objects.first()

    assert operator_client.get(reverse(f"admin:queue_{model}_add")).status_code == 403
    assert (
        operator_client.post(reverse(f"admin:queue_{model}_change", args=[row.pk])).status_code
        == 403
    )
    assert (
        operator_client.post(reverse(f"admin:queue_{model}_delete", args=[row.pk])).status_code
        == 403
    )


@pytest.mark.parametrize(("search", "found"), [("17", 1), ("x", 0), ("99999999999999999999", 0)])
def test_the_journal_is_searched_by_person_or_number(search, found, operator_client, journal):
    page = operator_client.get(reverse("admin:queue_queuejournal_changelist"), {"q": search})

    assert page.context["cl"].result_count == found


def test_the_journal_is_filtered_by_kind_and_event(operator_client, queue, journal):
    address = reverse("admin:queue_queuejournal_changelist")

    assert operator_client.get(address, {"kind__exact": "left"}).context["cl"].result_count == 0
    one = operator_client.get(address, {"event__id__exact": queue.pk})
    assert one.context["cl"].result_count == 1_000
    assert len(one.context["cl"].result_list) == 100


def test_every_page_spells_out_the_autopilots_reasons(operator_client, queue, now):
    why = "autopilot: slow_pages 1200 800"
    knobs = {"admit_per_second": 3.0}
    services.set_knobs(event_id=queue.pk, knobs=knobs, by=None, why=why, now=now)
    row = QueueChange.objects.get(why=why)
    addresses = [
        reverse("admin:queue_queuechange_changelist"),
        reverse("admin:queue_queuechange_change", args=[row.pk]),
        reverse("admin:queue_salequeue_change", args=[queue.pk]),
    ]

    pages = [
        operator_client.get(it, headers={"accept-language": "ko"}).content.decode()
        for it in addresses
    ]

    with translation.override("ko"):
        assert all(reason_label(row) in page for page in pages)
    assert not any("slow_pages" in page for page in pages)
