"""A small rehearsal from the first API call to the last, against a real server."""

from datetime import timedelta

import pytest
from django.core import mail

from payments import services as payments
from payments.models import Payment
from payments.sandbox import models as sandbox
from payments.sandbox import testing
from reservations.models import Reservation, Ticket
from tests.making import seat_ids
from tests.ticketing.rehearsal.sale_fixtures import (
    OPTIONS,
    Person,
    come_in,
)
from ticketing.accounts.models import Session, User
from ticketing.core import clock, redis
from ticketing.events.models import Event
from waiting_queue import keys
from waiting_queue import services as queues

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def under_way(api, sale, site):
    """Two people, of whom the first came to the lobby; the sale is open."""
    setting = api.post(event=sale.pk, **OPTIONS).json()
    made = api.post(f"{setting['code']}/people/", first=0, count=2).json()["people"]
    people = [Person(site, setting["event"], person["session"]) for person in made]
    assert api.post(f"{setting['code']}/moves/", move="lobby").json() == {"state": "lobby"}
    assert people[0].queue("POST").json()["state"] == "LOBBY"
    assert api.post(f"{setting['code']}/moves/", move="open").json() == {"state": "open"}
    queues.tick_open_queues(now=clock.now())
    return setting, made, people


@pytest.fixture
def sold(under_way):
    """The first has bought two seats."""
    setting, made, people = under_way
    come_in(people[0])
    free = Event.objects.get(pk=setting["event"]).seats.filter(state="available")
    seats = list(free.order_by("pk").values_list("pk", flat=True)[:2])
    assert people[0].buy(*seats).json()["state"] == "SUCCEEDED"
    testing.wait()
    payments.deliver_messages(now=clock.now())
    return setting, made, people, seats


def test_a_snapshot_tells_what_is_stuck(sold, api):
    """A charge without an outcome, and a buyer of whose purchase Redis did not hear."""
    setting, made, *_ = sold
    event_id, buyer, now = setting["event"], str(made[0]["id"]), clock.now()
    client, path = redis.queue_client(), f"{setting['code']}/snapshot/"
    ages = ("oldest_leak_seconds", "oldest_charge_seconds")
    assert [api.get(path)[age] for age in ages] == [0, 0]

    admitted = int((now - timedelta(minutes=5)).timestamp() * 1000)
    client.zadd(keys.key(event_id, "inside"), {buyer: admitted + 3_600_000})
    client.hset(keys.key(event_id, "called"), buyer, f"1:{admitted}")
    Payment.objects.update(settled_at=now - timedelta(seconds=30))
    assert api.get(path)["oldest_leak_seconds"] >= 30

    Payment.objects.update(state="charging", due_at=now, charging_at=now - timedelta(seconds=40))
    assert api.get(path)["oldest_charge_seconds"] >= 40


def test_snapshot_facts_and_journal_describe_the_sale(sold, api):
    setting, made, _, seats = sold
    code, buyer = setting["code"], made[0]["id"]

    snapshot, facts = api.get(f"{code}/snapshot/"), api.get(f"{code}/facts/")
    journal = api.get(f"{code}/journal/?after=0")

    assert snapshot["state"] == "open"
    assert snapshot["seats"] == {"free": 8, "held": 0, "paying": 0, "sold": 2}
    assert (snapshot["breaker"], snapshot["max_inside"]) == ("closed", 77)
    kinds = [entry["kind"] for entry in journal["entries"]]
    assert kinds == ["lobby", "join", "ready", "admit", "completed"]
    assert {entry["person"] for entry in journal["entries"]} == {buyer}
    assert not journal["more"]
    assert facts["settled"]
    assert facts["sold"] == [[seat, buyer] for seat in seats]
    assert facts["seats"] == {"available": 8, "held": 0, "sold": 2, "held_back": 2}
    (reservation,), (payment,) = facts["reservations"], facts["payments"]
    assert (reservation["state"], reservation["seats"]) == ("confirmed", seats)
    assert (payment["state"], payment["reservation"]) == ("succeeded", reservation["code"])
    (charge,) = facts["charges"]
    assert charge == {"payment": payment["number"], "amount": payment["amount"], "refunded": 0}
    assert {ticket["seat"] for ticket in facts["tickets"]} == set(seats)
    assert facts["draw"]["people"] == [buyer]
    assert facts["draw"]["secret_sha256"] == setting["secret_sha256"]


def test_the_books_are_those_of_the_payments_and_of_the_gateway(sold, api):
    setting, _, _, seats = sold
    facts = api.get(f"{setting['code']}/facts/")
    code, amount = facts["reservations"][0]["code"], facts["payments"][0]["amount"]

    whole = api.get(f"{setting['code']}/books/")
    parts = [api.get(f"{setting['code']}/books/?part={part}&parts=3") for part in range(3)]

    assert whole["payments"] == [
        {"state": "succeeded", "count": 1, "amount": amount, "refunded": 0, "charged": amount,
         "returned": 0}
    ]  # fmt: skip
    assert {seat: owner for seat, owner in whole["seats"] if owner} == dict.fromkeys(seats, code)
    assert sorted(pair for part in parts for pair in part["seats"]) == whole["seats"]
    assert len(whole["seats"]) == 12


def test_the_journal_of_a_closed_queue_has_everybodys_end(under_way, api):
    setting, made, _ = under_way
    api.post(f"{setting['code']}/moves/", move="close")

    journal = api.get(f"{setting['code']}/journal/")

    last = journal["entries"][-1]
    assert (last["person"], last["kind"], journal["more"]) == (made[0]["id"], "closed", False)


def test_nobody_is_mailed(sold):
    assert mail.outbox == []


def test_the_clean_up_leaves_nothing_behind(sold, api, sale):
    setting, made, people, _ = sold
    come_in(people[1])
    assert people[1].hold(Event.objects.get(pk=setting["event"]).seats.last().pk).status_code == 201

    left = api.http.delete(f"{setting['code']}/").json()["left_behind"]

    assert {name: n for name, n in left.items() if n} == {}
    assert {"reservations.Ticket", "payments.PaymentStep", "queue.QueueJournal"} < set(left)
    assert Event.objects.get() == sale
    for model in (Reservation, Ticket, sandbox.Payment, sandbox.Call):
        assert not model.objects.exists()
    assert not User.objects.filter(email__endswith=".invalid").exists()
    assert not Session.objects.filter(user_id=made[0]["id"]).exists()
    assert redis.client().keys(f"*{setting['event']}*") == []


def test_late_requests_are_refused_and_bring_nothing_back(sold, api):
    setting, _, people, _ = sold
    seat = Event.objects.get(pk=setting["event"]).seats.last().pk
    api.http.delete(f"{setting['code']}/")

    late = [people[1].queue("POST"), people[0].queue("GET"), people[1].hold(seat)]
    again = api.http.delete(f"{setting['code']}/").json()["left_behind"]

    assert {answer.status_code for answer in late} == {401}
    assert not any(again.values())
    assert api.post(f"{setting['code']}/people/", first=0, count=1).status_code == 409


def test_a_seat_held_back_is_not_sold(under_way):
    setting, _, people = under_way
    come_in(people[0])
    blocked = seat_ids(Event.objects.get(pk=setting["event"]))[0]

    assert people[0].hold(blocked).status_code == 409
