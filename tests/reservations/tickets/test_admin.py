"""Tickets in the admin: found in every way, moved by buttons, by who may."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from reservations.models import CheckIn, Ticket, TicketChange
from tests.making import make_user
from tests.reservations.tickets.conftest import scan

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
LIST = "/admin/reservations/ticket/"


def staff(*permissions):
    person = make_user(is_staff=True, password=None)
    person.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client(headers={"accept-language": "en"})
    client.force_login(person, backend=BACKEND)
    client.person = person
    return client


@pytest.fixture
def desk():
    return staff("view_ticket", "change_ticket", "check_in", "view_reservation", "view_checkin")


def read(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def test_a_ticket_is_found_in_every_way(desk, ticket, order, fan):
    halves = f"{ticket.code[:5].lower()}-{ticket.code[5:]}"

    for term in (ticket.code, halves, "Ann", fan.email, order.code):
        assert f">{ticket.code}</a>" in read(desk.get(LIST, {"q": term})), term
    assert ticket.code not in read(desk.get(LIST, {"q": "nobody"}))


def test_it_is_issued_again_with_a_reason(desk, ticket):
    path = f"{LIST}{ticket.pk}/reissue/"
    assert "lets nobody in any more" in read(desk.get(path))
    assert "This field is required" in read(desk.post(path, {"reason": "", "confirmed": 1}))

    desk.post(path, {"reason": "lost phone"})

    new = Ticket.objects.get(replaces=ticket)
    change = new.changes.get()
    assert (change.by, change.why) == (desk.person, "lost phone")
    page = read(desk.get(f"{LIST}{new.pk}/change/"))
    assert "lost phone" in page
    assert ticket.code in page


def test_it_is_checked_in_and_undone_by_buttons(desk, ticket):
    assert "Check in" in read(desk.get(f"{LIST}{ticket.pk}/change/"))
    desk.post(f"{LIST}{ticket.pk}/check-in/")
    assert "Undo the check-in" in read(desk.get(f"{LIST}{ticket.pk}/change/"))
    desk.post(f"{LIST}{ticket.pk}/undo/")

    kinds = TicketChange.objects.order_by("pk").values_list("what", flat=True)
    assert list(kinds.filter(by=desk.person)) == ["checked_in", "undone"]


@pytest.mark.parametrize("step", ["reissue", "check-in", "undo"])
def test_each_button_asks_for_its_permission(event, ticket, doorkeeper, step, now):
    if step == "undo":
        scan(event, ticket.code, doorkeeper, now)
    before = TicketChange.objects.count()
    viewer = staff("view_ticket")

    assert viewer.post(f"{LIST}{ticket.pk}/{step}/", {"reason": "x"}).status_code == 403
    assert "Issue again" not in read(viewer.get(f"{LIST}{ticket.pk}/change/"))
    assert TicketChange.objects.count() == before


@pytest.mark.parametrize("step", ["check-in", "undo"])
def test_a_link_writes_nothing(desk, ticket, step):
    assert desk.get(f"{LIST}{ticket.pk}/{step}/").status_code == 405
    assert not CheckIn.objects.exists()


def test_nobody_edits_by_hand(operator, ticket):
    client = Client()
    client.force_login(operator, backend=BACKEND)

    client.post(f"{LIST}{ticket.pk}/change/", {"state": "void", "name": "X"})

    ticket.refresh_from_db()
    assert (ticket.state, ticket.name) == ("valid", "Ann")
    assert client.post(f"{LIST}{ticket.pk}/delete/", {"post": "yes"}).status_code == 403


def test_an_order_leads_to_its_tickets(desk, order, ticket):
    page = read(desk.get(f"/admin/reservations/reservation/{order.pk}/change/"))

    assert f'href="{LIST}{ticket.pk}/change/"' in page


@pytest.mark.parametrize("model", ["ticketchange", "checkin", "transferoffer"])
def test_every_list_can_be_read(operator, event, ticket, doorkeeper, now, model):
    scan(event, ticket.code, doorkeeper, now)
    client = Client()
    client.force_login(operator, backend=BACKEND)

    assert client.get(f"/admin/reservations/{model}/", {"q": "x"}).status_code == 200
