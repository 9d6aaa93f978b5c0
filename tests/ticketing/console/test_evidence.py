"""Groups with reasons, what operators do about them, and the export."""

import json
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection, models

from reservations import services as reservations
from reservations.models import Reservation
from tests.making import make_user, seat_ids
from tests.ticketing.core.fast_path.site import admit
from ticketing.accounts.errors import IdentityNotVerified
from ticketing.accounts.models import User
from ticketing.console.selectors.suspicious_groups import people_of, suspicious_groups
from ticketing.core.ttl_cache import clear_ttl_caches
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.errors import PersonNotAsked
from waiting_queue.models import QueueChange

pytestmark = pytest.mark.django_db


@pytest.fixture
def place_signals():
    """The table of signals, made here where no app has it."""
    if "placesignals" in apps.all_models["queue"]:
        yield apps.get_model("queue", "PlaceSignals")
        return
    fields = {
        "event_id": models.BigIntegerField(),
        "person": models.BigIntegerField(),
        "at": models.DateTimeField(),
        "address_range": models.CharField(max_length=49),
        "signals": models.JSONField(default=dict),
        "entry": models.CharField(max_length=40),
        "Meta": type("Meta", (), {"app_label": "queue"}),
        "__module__": __name__,
    }
    model = type("PlaceSignals", (models.Model,), fields)
    with connection.schema_editor() as editor:
        editor.create_model(model)
    yield model
    del apps.all_models["queue"]["placesignals"]
    apps.clear_cache()


@pytest.fixture
def joined(sale, place_signals, now):
    """Keep signals of so many new people: `joined(3, address_range=…, device=…)`."""

    def join(count, *, seconds_apart=60, address_range="", **signals):
        people = [make_user(password=None) for _ in range(count)]
        for place, person in enumerate(people):
            place_signals.objects.create(
                event_id=sale.pk,
                person=person.pk,
                at=now + timedelta(seconds=place * seconds_apart),
                address_range=address_range,
                signals=signals,
                entry=f"{person.pk}-1",
            )
        return [person.pk for person in people]

    return join


def kinds(sale):
    return {group.kind: group.size for group in suspicious_groups(sale.pk)}


def test_people_of_one_browser_or_one_range_are_shown_with_the_reason(sale, joined):
    joined(2, device="family")
    farm = joined(3, device="farm")
    joined(20, address_range="203.0.113.0/24")

    found = {group.kind: group for group in suspicious_groups(sale.pk)}

    assert {kind: group.size for kind, group in found.items()} == {"device": 3, "range": 20}
    assert people_of(found["device"], event_id=sale.pk) == farm
    assert "browser" in found["device"].reason


def test_people_who_join_in_the_same_second_from_one_range_are_shown(sale, joined, now):
    crowd = joined(10, seconds_apart=0, address_range="203.0.113.0/24")
    joined(10, address_range="198.51.100.0/24")

    (group,) = suspicious_groups(sale.pk)

    assert (group.kind, people_of(group, event_id=sale.pk)) == ("speed", crowd)


def test_people_who_hold_again_and_again_without_paying_are_shown(sale, now):
    hoarder, hesitant = make_user(), make_user()
    for fan, times in ((hoarder, 3), (hesitant, 2)):
        for _ in range(times):
            Reservation.objects.create(
                event_id=sale.pk,
                fan=fan,
                state=Reservation.State.EXPIRED,
                created_at=now,
                deadline=now + timedelta(minutes=1),
                currency="KRW",
                total=0,
            )

    (group,) = suspicious_groups(sale.pk)

    assert (group.kind, people_of(group, event_id=sale.pk)) == ("run_outs", [hoarder.pk])


# -- what operators do ----------------------------------------------------------------------------


@pytest.fixture
def staff(client, operator):
    client.force_login(operator)
    return client


def page_of(sale, kind):
    group = next(group for group in suspicious_groups(sale.pk) if group.kind == kind)
    return f"/admin/console/{sale.pk}/groups/{group.key}/"


def test_a_group_is_moved_to_the_end_with_a_reason_that_they_read(staff, sale, joined, now):
    queues.move_queue(event_id=sale.pk, to="paused", by=None, now=now)
    farm, honest = joined(3, device="farm"), make_user()
    for person in (*farm, honest.pk):
        queues.join(event_id=sale.pk, person=str(person), now=now)

    answer = staff.post(page_of(sale, "device"), {"action": "demote", "reason": "one browser"})

    first = queues.standing(event_id=sale.pk, person=str(farm[0]), now=now)
    own = queues.standing(event_id=sale.pk, person=str(honest.pk), now=now)
    assert answer.status_code == 302
    assert (own.ahead, first.ahead, first.demoted_why) == (
        5,
        6,
        "one browser",
    )  # behind the five of the sale


def test_a_group_that_is_asked_keeps_its_places_and_verifies_before_it_holds(
    staff, sale, joined, now
):
    farm = joined(3, device="farm")

    staff.post(page_of(sale, "device"), {"action": "ask", "reason": "one browser"})

    clear_ttl_caches()
    here = {"event_id": sale.pk, "person": str(farm[0])}
    admit(sale.event, User.objects.get(pk=farm[0]))
    with pytest.raises(IdentityNotVerified):
        queues.require_turn(**here, now=now)
    queues.PERSON_ACTIONS["unask"].service(**here, by=None, now=now)
    clear_ttl_caches()
    assert queues.require_turn(**here, now=now).stay
    with pytest.raises(PersonNotAsked):
        queues.PERSON_ACTIONS["unask"].service(**here, by=None, now=now)


def test_the_persons_page_says_that_they_were_asked(staff, sale, fan, now, operator):
    action = f"/admin/console/{sale.pk}/people/{fan.pk}/ask/"

    staff.post(action, {"reason": "odd"})

    clear_ttl_caches()
    page = staff.get(f"/admin/console/{sale.pk}/people/{fan.pk}/").content.decode()
    assert "Asked to verify" in page
    assert queue_selectors.labels.PERSON_STATES["asked"]


def test_without_a_reason_nothing_happens(staff, sale, joined):
    joined(3, device="farm")

    staff.post(page_of(sale, "device"), {"action": "ask", "reason": ""})

    assert not QueueChange.objects.filter(after="asked").exists()


def test_a_group_that_is_gone_is_not_found(staff, sale):
    assert staff.get(f"/admin/console/{sale.pk}/groups/0123456789abcdef/").status_code == 404


def test_the_list_says_that_it_proves_nothing(staff, sale, joined):
    joined(3, device="farm")

    page = staff.get(f"/admin/console/{sale.pk}/groups/").content.decode()

    assert "proves nothing" in page


# -- the export -----------------------------------------------------------------------------------


@pytest.fixture
def evidence_url(sale, joined, operator, now):
    """With a group, and somebody who was blocked and holds a seat."""
    joined(3, device="farm")
    blocked = make_user(email="=blocked@example.com", display_name="Ben")
    admit(sale.event, blocked)
    reservations.hold_seats(
        event_id=sale.pk,
        choice=reservations.SeatChoice.named(seat_ids(sale.event)[:1]),
        fan_id=blocked.pk,
        now=now,
    )
    queues.block(event_id=sale.pk, person=str(blocked.pk), by=operator, why="resale", now=now)
    return f"/admin/console/{sale.pk}/evidence/"


def test_the_export_says_who_what_when_and_which_rule(staff, evidence_url, sale, operator):
    answer = staff.post(evidence_url, {"form": "json", "reason": "request 12/2027"})

    found = json.loads(answer.content)
    facts = {(row["what"], row["rule"]) for row in found["rows"]}
    assert ("blocked", "resale") in facts
    assert ("in_group", "the same browser") in facts
    assert any(row["what"].startswith("reservation_") for row in found["rows"])
    assert (found["by"], found["reason"]) == (str(operator), "request 12/2027")
    row = QueueChange.objects.get(queue=sale, what="evidence")
    assert (row.by, row.after, row.why) == (operator, "json", "request 12/2027")


def test_a_spreadsheet_runs_nothing_of_the_export(staff, evidence_url):
    answer = staff.post(evidence_url, {"form": "csv", "reason": "x"})

    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "'=blocked@example.com" in answer.content.decode()


def test_an_export_takes_a_reason(staff, evidence_url):
    answer = staff.post(evidence_url, {"form": "csv", "reason": ""})

    assert "attachment" not in answer.headers.get("Content-Disposition", "")
    assert not QueueChange.objects.filter(what="evidence").exists()


def test_an_export_takes_a_fresh_log_in(staff, evidence_url):
    session = staff.session
    session["fresh_at"] = 0
    session.save()

    answer = staff.post(evidence_url, {"form": "csv", "reason": "x"})

    assert answer.headers["Location"].startswith("/accounts/identity/?next=")
    assert not QueueChange.objects.filter(what="evidence").exists()
