"""Seats, refunds and revenue in a report, and who may see the money."""

import csv
import io
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from payments.models import Payment, Refund
from reservations.models import CancelledSeat, Reservation, ReservedSeat
from tests.making import make_user
from ticketing.console.selectors.report import sale_report
from ticketing.events.models import Seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def buy(queue, now):
    """Buys the next free seat of a grade, this many minutes after the sale began."""

    def bought(grade, minute, *, back=None, fan=None):
        at = now - timedelta(hours=1) + timedelta(minutes=minute)
        seat = Seat.objects.filter(event=queue.event, grade__code=grade, state="available")[0]
        fan = fan or make_user(password=None)
        price = seat.grade.price
        held = Reservation.objects.create(
            event=queue.event, fan=fan, state="confirmed", created_at=at - timedelta(minutes=1),
            deadline=at + timedelta(minutes=5), total=price, currency="KRW",
        )  # fmt: skip
        ReservedSeat.objects.create(reservation=held, seat=seat, grade=grade, price=price)
        paid = Payment.objects.create(
            payment_key=uuid4(), reservation=held, fan=fan, amount=price, currency="KRW",
            state="succeeded", charged=price, created_at=at, charging_at=at,
        )  # fmt: skip
        seat.state = "sold"
        if back is not None:
            _give_back(held, paid, seat, at + timedelta(minutes=back))
        seat.save(update_fields=["state"])
        return held

    def _give_back(held, paid, seat, at):
        Reservation.objects.filter(pk=held.pk).update(state="refunded", ended_at=at)
        Refund.objects.create(
            payment=paid, amount=paid.charged - 4_000, fee=4_000, state="done", why="ill",
            created_at=at, ended_at=at,
        )  # fmt: skip
        Payment.objects.filter(pk=paid.pk).update(refunded=paid.charged - 4_000)
        seat.state = "available"

    return bought


def test_seats_are_counted_by_grade_and_over_time(queue, buy, now):
    buy("R", 0)
    buy("R", 10)
    buy("S", 20, back=10)

    sales = sale_report(queue, with_money=True, now=now).sales

    grades = {grade.code: grade for grade in sales.grades}
    assert (grades["R"].seats, grades["R"].sold, grades["R"].share) == (8, 2, 0.25)
    assert (grades["S"].sold, grades["S"].given_back) == (0, 1)
    points = [(counts.get("R", 0), counts.get("S", 0)) for _, counts in sales.points]
    assert points[0] == (0, 0)
    assert (2, 1) in points
    assert points[-1] == (2, 0)


def test_a_seat_that_was_cancelled_alone_counts_as_given_back(queue, buy, now):
    held, at = buy("R", 0), now - timedelta(minutes=30)
    gone = Seat.objects.filter(event=queue.event, grade__code="R", state="available")[0]
    CancelledSeat.objects.create(reservation=held, seat=gone, grade="R", price=1, at=at)

    report = sale_report(queue, with_money=False, now=now)

    grades = {grade.code: grade for grade in report.sales.grades}
    assert (grades["R"].sold, grades["R"].given_back) == (1, 1)
    assert (report.refunds.orders, report.refunds.seats) == (0, 1)


def test_seats_that_are_held_back_are_not_on_sale(queue, buy, now):
    Seat.objects.filter(place__row="1").update(state="blocked")
    buy("R", 0)

    assert sale_report(queue, with_money=False, now=now).sales.grades[0].share == 0.25


def test_people_who_held_and_paid_are_counted_once(queue, buy, now):
    fan = make_user(password=None)
    buy("R", 0, fan=fan)
    buy("R", 1, fan=fan)
    buy("S", 2)

    report = sale_report(queue, with_money=False, now=now)

    assert (report.held, report.paid) == (2, 2)


def test_revenue_is_what_was_charged_less_refunds(queue, buy, now):
    buy("R", 0)
    buy("R", 1, back=5)

    report = sale_report(queue, with_money=True, now=now)

    assert (report.revenue.charged, report.revenue.refunded) == (308_000, 150_000)
    assert (report.revenue.fees, report.revenue.net) == (4_000, 158_000)
    assert (report.refunds.orders, report.refunds.seats, report.refunds.refunds) == (1, 1, 1)


def read(client, name, queue):
    return client.get(reverse(f"console:{name}", args=[queue.pk]))


@pytest.fixture
def reader(person_of):
    def make(role):
        client = Client(headers={"accept-language": "en"})
        client.force_login(person_of(role))
        return client

    return make


@pytest.mark.parametrize(("role", "sees"), [("viewer", False), ("finance", True)])
def test_money_is_shown_only_to_those_who_may_see_it(queue, buy, reader, role, sees):
    buy("R", 0)
    client = reader(role)

    page = read(client, "report", queue).content.decode()
    table = read(client, "report_csv", queue).content.decode()

    assert ("154,000" in page) is sees
    assert ("money," in table) is sees


def test_the_page_shows_the_whole_sale_without_javascript(queue, journal, buy, reader):
    journal.note(0, "join", 1, 2, 3).note(20, "ready", 1, 2).note(25, "admit", 1)
    buy("R", 0)

    page = read(reader("viewer"), "report", queue).content.decode()

    assert "Everybody was called in the order of their numbers." in page
    assert page.count("<polyline") == 4
    assert "<script" not in page.split('id="content-main"')[1]
    assert "style=" not in page.split('id="content-main"')[1]


def test_the_csv_has_one_figure_per_row(queue, journal, buy, reader):
    journal.note(0, "join", 1, 2).note(20, "ready", 1)
    buy("R", 0)

    answer = read(reader("viewer"), "report_csv", queue)

    text = answer.content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    figures = {(row["part"], row["item"], row["measure"]): row["value"] for row in rows}
    assert figures["funnel", "joined", "people"] == "2"
    assert figures["fairness", "calls", "inversions"] == "0"
    assert figures["grades", "R", "sold"] == "1"
    assert figures["seconds", "wait", "p95"] == "20.0"
    assert "attachment" in answer["content-disposition"]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_pdf_embeds_its_korean_typeface(queue, journal, buy, reader, language):
    journal.note(0, "join", 1, 2).note(20, "ready", 1)
    buy("R", 0)
    client = reader("finance")

    answer = client.get(
        reverse("console:report_pdf", args=[queue.pk]), headers={"accept-language": language}
    )

    assert answer["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")
    assert b"/FontFile2" in answer.content
    assert b"Pretendard" in answer.content


def test_an_event_without_a_queue_has_no_report(event, reader):
    assert reader("viewer").get(reverse("console:report", args=[event.pk])).status_code == 404
