"""The door without a script, and its API: for staff who may, and nobody else."""

import json
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from reservations.models import CheckIn, Ticket
from reservations.tickets import signing
from tests.making import make_user
from tests.reservations.tickets.conftest import make_doorkeeper
from ticketing.accounts import services as accounts
from ticketing.events.models import Event

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
OWN = {"host": "testserver", "origin": "http://testserver", "accept-language": "en"}
JSON = OWN | {"accept": "application/json"}


class Door:
    def __init__(self, event, person=None):
        self.event, self.client = event, Client(headers=OWN | {"accept": "text/html"})
        if person:
            self.client.force_login(person, backend=BACKEND)

    def type_in(self, code, **more):
        sent = {"code": code, "key": uuid4(), "door": "North"} | more
        return self.client.post(f"/door/{self.event.pk}/check-in/", sent, follow=True)

    def send(self, *scans, **more):
        body = {"event": self.event.pk, "door": "North", "check_ins": scans} | more
        return self.post("check-ins/", body)

    def post(self, path, body=None, **headers):
        sent = json.dumps(body) if body is not None else ""
        where = f"/api/v1/door/{path}"
        return self.client.post(where, sent, "application/json", headers=JSON | headers)

    def counts(self):
        return self.client.get(f"/api/v1/door/events/{self.event.pk}/counts/", headers=JSON)


@pytest.fixture
def event(event, now):
    """Its doors open in an hour."""
    event.doors_at, event.starts_at = now + timedelta(hours=1), now + timedelta(hours=2)
    event.save()
    return event


@pytest.fixture
def door(event, doorkeeper):
    return Door(event, doorkeeper)


def open_in(event, days):
    Event.objects.filter(pk=event.pk).update(
        doors_at=event.doors_at + timedelta(days=days),
        starts_at=event.starts_at + timedelta(days=days),
    )


def a_scan(text, **more):
    return {"key": str(uuid4()), "text": text} | more


def read(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def people(name):
    return {
        "anonymous": lambda: None,
        "fan": lambda: make_user(password=None),
        "staff": lambda: make_user(is_staff=True, password=None),
        "doorkeeper": make_doorkeeper,
        "operator": lambda: make_user(is_staff=True, is_superuser=True, password=None),
    }[name]()


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("anonymous", 401),
        ("fan", 403),
        ("staff", 403),
        ("doorkeeper", 200),
        ("operator", 200),
    ],
)
def test_only_who_may_is_at_the_door(event, ticket, who, status):
    door = Door(event, people(who))
    answers = [
        door.client.get("/door/"),
        door.client.get(f"/door/{event.pk}/"),
        door.counts(),
        door.send(a_scan("BCDFGHJKLM")),
    ]

    assert [answer.status_code for answer in answers] == [status] * 4
    assert door.type_in(ticket.code).status_code == status
    assert CheckIn.objects.filter(answer="valid").count() == (status == 200)


@pytest.mark.parametrize("who", ["anonymous", "fan", "staff"])
def test_nobody_else_undoes(event, ticket, door, who):
    key = a_scan(ticket.code)["key"]
    door.send({"key": key, "text": ticket.code})
    other = Door(event, people(who))

    assert other.post(f"check-ins/{key}/undo/").status_code in (401, 403)
    assert other.client.post(f"/door/{event.pk}/undo/", {"key": key}).status_code in (401, 403)
    assert Ticket.objects.get(pk=ticket.pk).state == "used"


# -- pages ----------------------------------------------------------------------------------------


def test_tonights_events_come_first_and_later_ones_follow(door, event, now):
    page = read(door.client.get("/door/"))
    assert event.title_en in page
    assert "Coming up" not in page

    open_in(event, 20)
    page = read(door.client.get("/door/"))

    assert "No event starts within two days." in page
    assert page.index("Coming up") < page.index(event.title_en)


def test_the_door_asks_before_somebody_comes_in_days_before(door, event, ticket):
    open_in(event, 9)

    page = read(door.type_in(ticket.code))
    assert "answer--not_yet" in page
    assert "Too early: doors open" in page
    assert "Let in anyway" in page
    assert Ticket.objects.get(pk=ticket.pk).state == "valid"

    assert "answer--valid" in read(door.type_in(ticket.code, anyway="1"))
    assert Ticket.objects.get(pk=ticket.pk).state == "used"


def test_a_program_at_the_door_is_asked_too_and_who_is_inside_already_is_not(door, event, ticket):
    open_in(event, 9)

    (told,) = door.send(a_scan(ticket.code)).json()["check_ins"]
    assert (told["answer"], told["reason"], told["entry_number"]) == ("NOT_YET", "early", None)
    (told,) = door.send(a_scan(ticket.code, offline=True)).json()["check_ins"]
    assert (told["answer"], told["conflict"]) == ("VALID", False)


def test_a_program_may_insist(door, event, ticket):
    open_in(event, 9)

    (told,) = door.send(a_scan(ticket.code, anyway=True)).json()["check_ins"]

    assert told["answer"] == "VALID"


def test_a_typed_code_lets_in_and_says_who(door, ticket):
    page = read(door.type_in(ticket.code.lower()))

    assert "answer--valid" in page
    assert "Section A, row 1, seat 1" in page
    assert "Ann" in page
    assert "1 of 2 checked in" in page
    assert CheckIn.objects.get().door == "North"


def test_the_same_form_sent_twice_lets_in_once_and_says_the_same(door, ticket):
    key = uuid4()

    pages = [read(door.type_in(ticket.code, key=key)) for _ in range(2)]

    assert ["answer--valid" in page for page in pages] == [True, True]


def test_a_second_try_says_when_it_was_used(door, ticket):
    door.type_in(ticket.code)

    page = read(door.type_in(ticket.code))

    assert re.search(r"Already used at \d\d:\d\d:\d\d", page)
    assert "answer--used" in page


def test_nonsense_is_not_a_ticket(door):
    assert "answer--unknown" in read(door.type_in("hello"))


def test_it_is_undone_with_a_press(door, event, ticket):
    door.type_in(ticket.code)
    key = CheckIn.objects.get().key

    answer = door.client.post(f"/door/{event.pk}/undo/", {"key": key}, follow=True)

    assert "The check-in is undone" in read(answer)
    assert "0 of 2 checked in" in read(answer)


@pytest.mark.parametrize("path", ["/door/99999999/", f"/door/{2**70}/"])
def test_an_event_that_is_not_there_has_no_door(door, path):
    assert door.client.get(path).status_code == 404


def test_a_strange_address_is_just_the_door(door, event):
    answer = door.client.get(f"/door/{event.pk}/?last=x&door=%7F")

    assert answer.status_code == 200


# -- api ------------------------------------------------------------------------------------------


def test_a_batch_is_answered_one_by_one(door, order, event):
    first, second = order.tickets.order_by("pk")
    texts = [signing.qr_text(first), first.code, second.code, "hello"]

    answer = door.send(*map(a_scan, texts)).json()

    assert [it["answer"] for it in answer["check_ins"]] == ["VALID", "USED", "VALID", "UNKNOWN"]
    assert (answer["counts"]["inside"], answer["counts"]["expected"]) == (2, 2)
    assert answer["check_ins"][0]["seat"] == "Section A, row 1, seat 1"
    assert answer["check_ins"][0]["undo_until"]


def test_a_batch_can_be_sent_again(door, ticket):
    scans = [a_scan(ticket.code), a_scan("hello")]

    first, second = door.send(*scans), door.send(*scans)

    assert first.json() == second.json()
    assert CheckIn.objects.count() == 2


def test_two_phones_without_network_find_out_afterwards(event, ticket, door, now):
    other, text = Door(event, make_doorkeeper()), signing.qr_text(ticket)
    earlier = (now - timedelta(minutes=5)).isoformat()

    first = door.send(a_scan(text, offline=True, scanned_at=earlier)).json()["check_ins"][0]
    second = other.send(a_scan(text, offline=True, scanned_at=earlier)).json()["check_ins"][0]

    assert (first["answer"], first["conflict"]) == ("VALID", False)
    assert (second["answer"], second["conflict"]) == ("USED", True)


def test_it_is_undone_by_its_key(door, ticket):
    scan = a_scan(ticket.code)
    door.send(scan)

    answer = door.post(f"check-ins/{scan['key']}/undo/").json()

    assert (answer["undone"], answer["message"]) == (True, "Undone: not inside")
    assert door.counts().json()["inside"] == 0
    assert door.post(f"check-ins/{uuid4()}/undo/").json()["code"] == "no_check_in"


@pytest.mark.parametrize(
    "wrong",
    [
        {"check_ins": []},
        {"check_ins": [{"key": "x", "text": "y"}]},
        {"check_ins": [{"key": str(uuid4())}]},
        {"check_ins": [{"key": str(uuid4()), "text": "y\0"}]},
        {"check_ins": [{"key": str(uuid4()), "text": "y" * 201}]},
        {"event": 0},
        {"event": 2**63},
        {"door": "x" * 41},
    ],
)
def test_nonsense_is_refused(door, wrong):
    answer = door.send(a_scan("x"), **wrong)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")


def test_another_site_can_not_check_in(door, ticket):
    body = {"event": door.event.pk, "check_ins": [a_scan(ticket.code)]}

    answer = door.post("check-ins/", body, origin="https://evil.example")

    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    assert not CheckIn.objects.exists()


def test_a_program_checks_in_with_a_token(event, ticket, doorkeeper, now):
    secret = accounts.create_token(user=doorkeeper, name="gate", scopes=["door"], now=now)[1]
    door = Door(event)
    body = {"event": event.pk, "check_ins": [a_scan(ticket.code)]}

    answer = door.post("check-ins/", body, authorization=f"Bearer {secret}")

    assert answer.json()["check_ins"][0]["answer"] == "VALID"


def test_who_lost_the_permission_is_refused_at_once(door, doorkeeper, ticket):
    doorkeeper.user_permissions.clear()

    assert door.send(a_scan(ticket.code)).status_code == 403


def test_it_is_in_the_document():
    document = Client().get("/api/v1/schema/?format=json")

    assert {"/api/v1/door/check-ins/", "/api/v1/door/events/{event_id}/counts/"} <= set(
        json.loads(document.content)["paths"]
    )
