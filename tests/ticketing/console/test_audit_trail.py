"""The audit trail of an event: everything in one list, for those who may read it."""

import csv
from datetime import timedelta
from itertools import chain
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from payments.models import Payment, PaymentStep
from reservations.models import (
    Reservation,
    ReservationChange,
    StandbyChange,
    StandbyEntry,
    Ticket,
    TicketChange,
)
from tests.making import make_event
from ticketing.console.selectors.audit_trail import (
    FANS,
    KINDS,
    SOURCES,
    SYSTEM,
    Position,
    TrailFilter,
    audit_trail,
    whole_trail,
)
from ticketing.events.models import EventChange
from waiting_queue.models import QueueChange

pytestmark = pytest.mark.django_db
ALL = list(range(len(SOURCES)))


@pytest.fixture
def trail(sale, fan, operator, now):
    """Two changes of every source at the same moment; another event has some, too."""
    event = sale.event
    order = Reservation.objects.create(
        event=event,
        fan=fan,
        created_at=now,
        deadline=now + timedelta(minutes=5),
        total=1,
        currency="KRW",
    )
    ticket = Ticket.objects.create(
        reservation=order,
        event=event,
        seat=event.seats.first(),
        holder=fan,
        code="DH2PSDDQNK",
        created_at=now,
    )
    money = {"amount": 1, "currency": "KRW", "created_at": now, "due_at": now}
    payment = Payment.objects.create(reservation=order, fan=fan, payment_key=uuid4(), **money)
    entry = StandbyEntry.objects.create(event=event, fan=fan, quantity=1, created_at=now)
    by, at = {"by": operator}, {"at": now}
    for n in range(2):
        moved = {"before": str(n), "after": str(n + 1), "why": "=cmd()"}
        EventChange.objects.create(event=event, what="seats 3", **moved, **by, **at)
        EventChange.objects.create(event=event, what="edited", **moved, **by, **at)
        EventChange.objects.create(event=event, what="grade R", **moved, **by, **at)
        EventChange.objects.create(event=event, what="approval close_sale", **by, **at)
        QueueChange.objects.create(queue=sale, what="capacity", **moved, **by, **at)
        QueueChange.objects.create(queue=sale, what="person 12", **moved, **by, **at)
        QueueChange.objects.create(queue=sale, what="lane_1", **moved, **by, **at)
        ReservationChange.objects.create(reservation=order, before="held", after="x", **at)
        TicketChange.objects.create(ticket=ticket, what="renamed", after="Minji", by=fan, **at)
        StandbyChange.objects.create(entry=entry, after="waiting", by=fan, **at)
        PaymentStep.objects.create(payment=payment, after="pending", **at)
    other = make_event(now)
    EventChange.objects.create(event=other, what="state", after="announced", at=now)
    return event


def rows_of(event, sources=ALL, **wanted):
    found = whole_trail(event.pk, sources=sources, wanted=TrailFilter(**wanted), size=3)
    return [(entry.source, entry.change.pk) for entry in found]


def count_all(event):
    return sum(
        source.model.objects.filter(**{source.event: event.pk}).count() for source in SOURCES
    )


def client_of(user):
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


def test_pages_have_every_change_once_also_of_one_moment(trail):
    found = rows_of(trail)

    assert len(found) == len(set(found)) == count_all(trail) > 20


def test_the_newest_change_comes_first(trail, now):
    late = EventChange.objects.create(
        event=trail, what="state", after="closed", at=now + timedelta(hours=1)
    )

    page = audit_trail(trail.pk, sources=ALL, wanted=TrailFilter(), size=2)

    assert page.entries[0].change == late
    assert Position.parse(str(page.following)) == page.entries[-1].position


def test_steps_of_a_payment_stand_as_they_were_taken(trail, now):
    """A webhook that began before the fan's own call may settle the payment after it."""
    payment = Payment.objects.get()
    at = now + timedelta(hours=1)
    for after, moment in (("charging", at + timedelta(milliseconds=20)), ("succeeded", at)):
        payment.steps.create(before="", after=after, at=moment)
    between = EventChange.objects.create(
        event=trail, what="edited", at=at + timedelta(milliseconds=10)
    )

    page = audit_trail(trail.pk, sources=ALL, wanted=TrailFilter(), size=3)

    assert [getattr(it.change, "after", "") for it in page.entries] == ["succeeded", "", "charging"]
    assert page.entries[1].change == between
    assert page.following == page.entries[0].position
    assert len(rows_of(trail)) == count_all(trail)


def test_every_change_is_of_one_kind(trail):
    by_kind = [rows_of(trail, kind=kind) for kind in KINDS]

    assert all(by_kind)
    assert sorted(chain.from_iterable(by_kind)) == sorted(rows_of(trail))


def test_the_filter_finds_who_acted_when_and_words(trail, operator, fan, now):
    assert len(rows_of(trail, by=str(operator.pk), kind="lanes")) == 2
    assert len(rows_of(trail, by=FANS)) == 4
    assert not set(rows_of(trail, by=SYSTEM)) & set(rows_of(trail, by=FANS))
    assert rows_of(trail, since=now + timedelta(minutes=1)) == []
    assert rows_of(trail, until=now - timedelta(hours=1)) == []
    assert len(rows_of(trail, text="minji")) == 2


@pytest.mark.parametrize("after", ["", "x", "2026-01-01_0_1", f"{'9' * 30}_1_2", "_", "_1_9"])
def test_an_unusable_position_shows_the_first_page(trail, operator, after):
    page = client_of(operator).get(reverse("console:audit", args=[trail.pk]), {"after": after})

    assert len(page.context["changes"]) == count_all(trail)


def test_a_viewer_reads_no_orders_nor_names_of_fans(trail, person_of, fan, now):
    EventChange.objects.create(event=trail, what="edited", by=fan, at=now)

    page = client_of(person_of("viewer")).get(reverse("console:audit", args=[trail.pk]))

    assert {str(row["kind"]) for row in page.context["changes"]}.isdisjoint({"tickets"})
    assert "a fan" in page.content.decode()
    assert fan.email not in page.content.decode()


def test_the_file_has_what_the_filter_finds_and_no_formulas(trail, operator):
    address = reverse("console:audit_csv", args=[trail.pk])

    answer = client_of(operator).post(address, {"kind": "lanes"})

    head, *rows = csv.reader(answer.content.decode("utf-8-sig").splitlines())
    assert head[-1] == "why"
    assert [row[-1] for row in rows] == ["'=cmd()", "'=cmd()"]
    assert EventChange.objects.filter(what="audit", after="CSV, 2", by=operator).exists()


@pytest.mark.parametrize("path", ["ticketing/event", "queue/salequeue"])
def test_djangos_history_leads_to_the_trail(trail, operator, path):
    answer = client_of(operator).get(f"/admin/{path}/{trail.pk}/history/")

    assert answer.url == reverse("console:audit", args=[trail.pk])
