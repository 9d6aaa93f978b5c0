"""The pages of tickets: their owner's only, and good without a script."""

import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from reservations import services
from reservations.models import Ticket, TransferOffer
from reservations.tickets.calendar_file import calendar_file
from tests.making import make_user
from tests.reservations.tickets.conftest import scan

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
CODE = 'class="pass__qr"'
FILES = ["", "qr.svg", "ticket.pdf", "ticket.ics"]
FORMS = {"rename/": {"name": "X"}, "reissue/": {}, "offer/": {"email": "x@example.com"}}


def browser(person=None):
    client = Client(headers={"accept-language": "en", "accept": "text/html"})
    if person:
        client.force_login(person, backend=BACKEND)
    return client


@pytest.fixture
def ann(fan):
    return browser(fan)


@pytest.fixture
def ben(rival):
    return browser(rival)


def read(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def test_a_ticket_shows_what_one_needs_at_the_door(ann, ticket, event):
    page = read(ann.get(f"/tickets/{ticket.code}/"))

    assert event.title_en in page
    assert "Section A, row 1, seat 1" in page
    assert f"{ticket.code[:5]}-{ticket.code[5:]}" in page
    assert f"/tickets/{ticket.code}/qr.svg" in page


def test_all_tickets_of_an_order_are_on_one_page_with_their_codes(ann, order):
    page = read(ann.get(f"/tickets/orders/{order.code}/"))

    codes = list(order.tickets.values_list("code", flat=True))
    assert all(f"{code[:5]}-{code[5:]}" in page for code in codes)
    assert page.count(CODE) == len(codes) == 2
    assert "ticket 1 of 2" in page
    assert "brightness" in page
    assert 'data-tickets="/tickets/worker.js"' in page


def test_it_shows_only_what_its_reader_still_holds(ann, ben, rival, order, ticket, fan, now):
    address = f"/tickets/orders/{order.code}/"
    assert ben.get(address).status_code == 404
    assert browser().get(address).status_code == 401
    offer = services.offer_ticket(code=ticket.code, fan_id=fan.pk, email=rival.email, now=now)
    services.accept_offer(code=offer.code, fan_id=rival.pk, now=now)

    assert read(ann.get(address)).count(CODE) == 1
    assert read(ben.get(address)).count(CODE) == 1
    assert f'href="{address}"' in read(ben.get("/tickets/"))


def test_a_ticket_that_is_being_refunded_shows_no_code(ann, order, ticket, now):
    services.suspend_tickets(code=order.code, seats=[ticket.seat_id], now=now)

    page = read(ann.get(f"/tickets/orders/{order.code}/"))

    assert page.count(CODE) == 1
    assert "This ticket is being refunded" in page


def test_the_header_leads_to_my_tickets(ann, order):
    assert 'href="/tickets/">My tickets' in read(ann.get("/orders/"))


@pytest.mark.parametrize("folder", ["door", "tickets"])
def test_a_worker_keeps_pages_for_those_without_a_network(ann, folder):
    answer = ann.get(f"/{folder}/worker.js")

    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert folder in answer.content.decode()


@pytest.mark.parametrize("file", FILES)
def test_it_is_its_owners_only(ben, ticket, file):
    address = f"/tickets/{ticket.code}/{file}"

    assert ben.get(address).status_code == 404
    assert browser().get(address).status_code == 401
    assert browser(make_user(is_staff=True, password=None)).get(address).status_code == 404


@pytest.mark.parametrize("form", FORMS)
def test_nobody_else_changes_it(ben, ticket, form):
    assert ben.post(f"/tickets/{ticket.code}/{form}", FORMS[form]).status_code == 404
    assert browser().post(f"/tickets/{ticket.code}/{form}", FORMS[form]).status_code == 401
    ticket.refresh_from_db()
    assert ticket.state == "valid"


@pytest.mark.parametrize("form", FORMS)
def test_a_link_changes_nothing(ann, ticket, form):
    assert ann.get(f"/tickets/{ticket.code}/{form}").status_code == 405


@pytest.mark.parametrize("file", FILES)
def test_nobody_keeps_a_copy_on_the_way(ann, ticket, file):
    assert "no-store" in ann.get(f"/tickets/{ticket.code}/{file}")["Cache-Control"]


def test_the_code_is_a_drawing_without_scripts(ann, ticket):
    answer = ann.get(f"/tickets/{ticket.code}/qr.svg")

    assert answer["Content-Type"] == "image/svg+xml"
    assert answer.content.startswith(b"<svg")
    assert b"script" not in answer.content


@pytest.mark.parametrize("language", ["ko", "en"])
def test_it_can_be_printed_with_korean_in_it(ann, ticket, fan, now, language):
    new = services.rename_ticket(code=ticket.code, fan_id=fan.pk, name="김하늘 & <b>", now=now)

    answer = ann.get(f"/tickets/{new.code}/ticket.pdf", headers={"accept-language": language})

    assert answer["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")
    assert b"Pretendard" in answer.content
    assert len(answer.content) < 200_000


def test_all_tickets_of_an_order_are_printed_together(ann, ben, order):
    answer = ann.get(f"/tickets/orders/{order.code}.pdf")

    assert len(re.findall(rb"/Type /Page\b", answer.content)) == 2
    assert ben.get(f"/tickets/orders/{order.code}.pdf").status_code == 404


def test_the_calendar_knows_when_it_begins_everywhere(event, ticket, now):
    """Eight in the evening in Seoul is eleven in the morning in UTC."""
    event.starts_at = (now + timedelta(days=30)).astimezone(ZoneInfo("Asia/Seoul")).replace(hour=20)
    event.starts_at = event.starts_at.replace(minute=0, second=0, microsecond=0)
    ticket.event = event

    text = calendar_file(ticket, host="x.org", address="https://x.org/t", now=now)

    assert re.search(r"\r\nDTSTART:\d{8}T110000Z\r\n", text)
    assert re.search(r"\r\nDTEND:\d{8}T130000Z\r\n", text)


def test_a_long_title_is_folded_and_escaped(event, ticket, now):
    ticket.event.title_ko = ticket.event.title_en = "가나, 다라; " * 20

    text = calendar_file(ticket, host="x.org", address="https://x.org/t", now=now)

    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    assert "SUMMARY:" + r"가나\, 다라\; " * 20 in text.replace("\r\n ", "")


def test_the_calendar_is_a_file(ann, ticket):
    answer = ann.get(f"/tickets/{ticket.code}/ticket.ics")

    assert answer["Content-Type"].startswith("text/calendar")
    assert answer.content.startswith(b"BEGIN:VCALENDAR\r\n")


def test_a_new_name_leads_to_the_new_ticket(ann, ticket):
    answer = ann.post(f"/tickets/{ticket.code}/rename/", {"name": "Bea"}, follow=True)

    new = Ticket.objects.get(name="Bea")
    assert answer.request["PATH_INFO"] == f"/tickets/{new.code}/"
    assert "The name has been changed" in read(answer)


def test_the_old_page_leads_to_the_valid_one_and_shows_no_code(ann, ticket):
    ann.post(f"/tickets/{ticket.code}/reissue/")

    page = read(ann.get(f"/tickets/{ticket.code}/"))

    assert "No longer valid: replaced by a new one." in page
    assert "qr.svg" not in page
    assert f"/tickets/{Ticket.objects.get(replaces=ticket).code}/" in page
    assert ann.get(f"/tickets/{ticket.code}/qr.svg").status_code == 404


def test_what_cannot_be_is_said_on_the_page(ann, ticket, event):
    event.rename_hours = event.transfer_hours = None
    event.save()

    answer = ann.post(f"/tickets/{ticket.code}/rename/", {"name": "Bea"}, follow=True)

    page = read(answer)
    assert "can&#x27;t be changed" in page
    assert "Change the name" not in page
    assert "Give it to someone else" not in page


@pytest.mark.parametrize(("form", "sent"), [("rename/", {"name": ""}), ("offer/", {"email": "x"})])
def test_a_mistake_is_said_on_the_page(ann, ticket, form, sent):
    answer = ann.post(f"/tickets/{ticket.code}/{form}", sent, follow=True)

    assert "note--error" in read(answer)
    assert Ticket.objects.filter(state="void").count() == 0


def test_a_ticket_goes_from_hand_to_hand(ann, ben, ticket, rival, event):
    ann.post(f"/tickets/{ticket.code}/offer/", {"email": rival.email})
    assert "can accept this ticket" in read(ann.get(f"/tickets/{ticket.code}/"))
    assert "wants to give you a ticket" in read(ben.get("/tickets/"))

    offer = TransferOffer.objects.get()
    answer = ben.post(f"/tickets/offers/{offer.code}/accept/", follow=True)

    assert "The ticket is now yours." in read(answer)
    assert "given to somebody else" in read(ann.get(f"/tickets/{ticket.code}/"))


def test_an_offer_is_declined_or_withdrawn(ann, ben, ticket, rival):
    for last, answers in enumerate((ben, ann)):
        ann.post(f"/tickets/{ticket.code}/offer/", {"email": rival.email})
        offer = TransferOffer.objects.get(state="open")
        path = f"{ticket.code}/withdraw/" if last else f"offers/{offer.code}/decline/"

        assert answers.post(f"/tickets/{path}").status_code == 303
        offer.refresh_from_db()
        assert offer.state == ("withdrawn" if last else "declined")


def test_the_list_has_what_lets_in(ann, ben, order, event):
    page = read(ann.get("/tickets/"))

    assert [code in page for code in order.tickets.values_list("code", flat=True)] == [True, True]
    assert "no tickets" in read(ben.get("/tickets/"))


def test_after_the_door_it_says_so(ann, event, ticket, doorkeeper, now):
    scan(event, ticket.code, doorkeeper, now)

    page = read(ann.get(f"/tickets/{ticket.code}/"))

    assert "Enjoy the show!" in page
    assert "Somebody may have copied it" not in page


@pytest.mark.parametrize("path", ["", "orders/{order}/", "{ticket}/"])
def test_a_page_costs_few_statements(ann, ticket, path, django_assert_max_num_queries):
    ann.get("/tickets/")

    address = path.format(order=ticket.reservation.code, ticket=ticket.code)
    with django_assert_max_num_queries(4):
        assert ann.get(f"/tickets/{address}").status_code == 200
