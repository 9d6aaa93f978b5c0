"""Operators make lanes, give them keys and see their use; each step is audited."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.waiting_queue.lanes import add_codes, add_lane
from waiting_queue import services
from waiting_queue.models import Lane, LaneKey, QueueChange

pytestmark = pytest.mark.django_db


@pytest.fixture
def lane(queue, now) -> Lane:
    return add_lane(queue, now)


def page_of(lane, name):
    return reverse(f"admin:queue_lane_{name}", args=[lane.pk])


def upload(client, lane, raw: bytes):
    file = SimpleUploadedFile("keys.csv", raw, "text/csv")
    return client.post(page_of(lane, "keys"), {"file": file, "reason": "presale"}, follow=True)


def test_a_lane_is_added_to_a_queue(operator_client, queue, operator):
    grade = queue.event.grades.first()
    fields = {
        "queue": queue.pk,
        "name_ko": "팬클럽",
        "name_en": "Fan club",
        "key": "codes",
        "weight": "3",
        "grades": [grade.pk],
        "why": "presale",
    }

    answer = operator_client.post(reverse("admin:queue_lane_add"), fields)

    assert answer.status_code == 302, answer.context["errors"]
    lane = Lane.objects.get()
    assert (lane.number, lane.weight, list(lane.grades.all())) == (1, 3, [grade])
    change = QueueChange.objects.get(queue=queue)
    assert (change.what, change.by, change.why) == ("lane_1", operator, "presale")


def test_a_second_lane_for_everybody_is_refused(operator_client, queue, now):
    add_lane(queue, now, key=Lane.Key.NONE)
    fields = {"queue": queue.pk, "name_ko": "가", "name_en": "A", "key": "none", "weight": "1"}

    answer = operator_client.post(reverse("admin:queue_lane_add"), fields)

    assert "There is a lane for everybody already." in answer.content.decode()


def test_the_kind_of_key_stays_and_the_weight_can_change(operator_client, lane):
    page = operator_client.get(page_of(lane, "change"))
    fields = {"name_ko": "가", "name_en": "B", "key": "emails", "weight": "5"}

    operator_client.post(page_of(lane, "change"), fields)

    lane.refresh_from_db()
    assert page.status_code == 200
    assert (lane.key, lane.weight, lane.name_en) == ("codes", 5, "B")


def test_codes_are_downloaded_once(operator_client, lane):
    answer = operator_client.post(page_of(lane, "codes"), {"count": "3", "reason": "print"})

    codes = answer.content.decode("utf-8-sig").split()[1:]
    assert len(set(codes)) == 3
    assert "no-store" in answer["cache-control"]
    assert LaneKey.objects.count() == 3
    assert QueueChange.objects.get(what="lane_keys_1").after == "3"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp949"])
def test_a_file_of_a_korean_spreadsheet_is_read(operator_client, queue, now, encoding):
    lane = add_lane(queue, now, key=Lane.Key.EMAILS)

    page = upload(operator_client, lane, "이메일,이름\na@example.com,달빛\n".encode(encoding))

    assert "1 keys were added" in page.content.decode()


def test_mistakes_are_said_line_by_line(operator_client, lane):
    page = upload(operator_client, lane, b"ABCDEFG\nshort\n")

    assert "Line 2: a code has at least 6 letters or digits." in page.content.decode()
    assert not LaneKey.objects.exists()


def test_the_use_of_codes_is_exported_and_the_export_audited(
    operator_client, lane, fan, operator, now
):
    [code] = add_codes(lane, now)
    LaneKey.objects.update(person=fan, used_at=now)

    answer = operator_client.get(page_of(lane, "export"))

    table = answer.content.decode("utf-8-sig").splitlines()
    assert table[1].startswith(f"…{code[-4:]},{fan.email},")
    exported = QueueChange.objects.get(what="lane_keys_1", before="exported")
    assert exported.by == operator


@pytest.mark.parametrize("name", ["keys", "codes", "export"])
def test_who_may_only_look_gets_no_keys(viewer_client, lane, name):
    assert viewer_client.get(page_of(lane, name)).status_code == 403


def test_a_lane_is_deleted_before_the_line_has_started(operator_client, lane, operator, now):
    services.move_queue(event_id=lane.queue_id, to="open", by=operator, now=now)

    assert operator_client.post(page_of(lane, "delete"), {"post": "yes"}).status_code == 403
    assert Lane.objects.exists()
