"""Deleting an account: access ends, names go, orders stay."""

from datetime import timedelta
from unittest.mock import Mock
from uuid import uuid4

import pytest
from django.core import mail
from django.db import DatabaseError, connection, transaction

from payments.models import OutboxMessage, Payment
from reservations import services as reservations
from reservations.models import Reservation, Ticket, TicketChange, TransferOffer
from tests.making import PASSWORD, make_event, seat_ids
from tests.reservations.acting import hold
from tests.ticketing.accounts.conftest import is_logged_in
from ticketing.accounts import services as accounts
from ticketing.accounts.models import ApiToken, Consent, Identity, Session, User
from ticketing.events.models import Event
from ticketing.privacy import selectors, services
from ticketing.privacy.errors import MoneyUnderWay, StaffAccount, TicketsLeft
from ticketing.privacy.services import deletions
from waiting_queue import services as queue
from waiting_queue.models import PlaceSignals, SaleQueue

PAGE = "/accounts/delete/"


def buy(event, fan, now, *, first=0) -> str:
    code = hold(event, fan, now, *seat_ids(event)[first : first + 2]).reservation.code
    reservations.extend_for_payment(code=code, fan_id=fan.pk, now=now)
    reservations.confirm(code=code, now=now)
    return code


def is_over(event, now, days=2) -> None:
    past = now - timedelta(days=days)
    before = {"on_sale_at": past - timedelta(days=9), "doors_at": past}
    Event.objects.filter(pk=event.pk).update(starts_at=past, ends_at=None, **before)


def delete(user, now, **more) -> None:
    services.delete_account(user=user, **{"knows_tickets": True, "now": now} | more)


def everything_stored() -> str:
    """Every row of every table, as text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        rows = []
        for name in tables:
            cursor.execute(f"SELECT coalesce(string_agg(it::text, ' '), '') FROM {name} AS it")
            rows.append(cursor.fetchone()[0])
    return "\n".join(rows)


def test_without_orders_nothing_is_left(ann, anns_browser, documents, worker, now):
    ids = {documents["terms"].pk, documents["privacy"].pk}
    accounts.give_consents(user_id=ann.pk, agreed=ids, now=now)
    accounts.create_token(user=ann, name="my script", now=now)

    assert anns_browser.post(PAGE, {"is_sure": "on"}).url == "/accounts/deleted/"

    assert not User.objects.exists()
    assert not Consent.objects.exists()
    assert not ApiToken.objects.exists()
    assert not Session.objects.filter(user__isnull=False).exists()
    assert not is_logged_in(anns_browser)
    assert mail.outbox[-1].to == ["ann@example.com"]
    assert "deleted" in mail.outbox[-1].subject


@pytest.fixture
def verified(ann, now) -> Identity:
    PlaceSignals.objects.create(event=make_event(now), person=ann.pk, at=now, entry="1-1")
    accounts.record_identity(
        user_id=ann.pk,
        unique_value="CI-of-ann",
        birth_year=1990,
        now=now,
        has_seats=lambda account: False,
    )
    return Identity.objects.get()


def test_a_verified_person_without_orders_can_begin_anew(ann, verified, now):
    delete(ann, now)

    assert not Identity.objects.exists()
    assert not PlaceSignals.objects.exists()


def test_a_verified_person_has_one_limit_until_the_events_are_over(event, ann, verified, now):
    buy(event, ann, now)
    delete(ann, now)

    services.purge(now=now)
    assert Identity.objects.get().digest == verified.digest
    is_over(event, now)
    services.purge(now=now)
    assert not Identity.objects.exists()


def test_orders_stay_and_name_nobody(event, ann, ben, now):
    """Nothing in the whole database names the person: neither address nor name nor phone."""
    accounts.change_profile(user=ann, display_name="Annabelle Lee", phone="010-1234-5678")
    code = buy(event, ann, now)
    ticket = Ticket.objects.filter(reservation__code=code).first()
    renamed = reservations.rename_ticket(
        code=ticket.code, fan_id=ann.pk, name="Annabelle Lee", now=now
    )
    reservations.offer_ticket(code=renamed.code, fan_id=ann.pk, email=ben.email, now=now)
    reservations.withdraw_offer(code=renamed.code, fan_id=ann.pk, now=now)
    theirs = buy(event, ben, now, first=4)
    of_ben = Ticket.objects.filter(reservation__code=theirs).first()
    reservations.offer_ticket(code=of_ben.code, fan_id=ben.pk, email=ann.email, now=now)
    OutboxMessage.objects.update(state="delivered", delivered_at=now)
    is_over(event, now)

    delete(ann, now)

    nobody = User.objects.get(pk=ann.pk)
    assert (nobody.is_active, nobody.deleted_at, nobody.display_name) == (False, now, "—")
    assert Reservation.objects.get(code=code).fan_id == ann.pk
    stored = everything_stored()
    for trace in ("Annabelle", "ann@example.com", "010-1234"):
        assert trace not in stored
    assert "ben@example.com" in stored  # somebody else's own


def test_the_audit_of_tickets_stays_final_otherwise(event, ann, now):
    buy(event, ann, now)
    change = TicketChange.objects.first()

    with pytest.raises(DatabaseError, match="is final"), transaction.atomic():
        TicketChange.objects.filter(pk=change.pk).update(after="")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ticketing.erases_person = 'on'")
        with pytest.raises(DatabaseError, match="is final"), transaction.atomic():
            TicketChange.objects.filter(pk=change.pk).update(after="something else")
        with pytest.raises(DatabaseError, match="is final"), transaction.atomic():
            TicketChange.objects.filter(pk=change.pk).update(why="nothing")


def test_nobody_logs_in_and_the_address_can_sign_up_again(event, ann, browser, now):
    buy(event, ann, now)
    is_over(event, now)
    delete(ann, now)

    browser.post("/accounts/log-in/", {"username": "ann@example.com", "password": PASSWORD})
    assert not is_logged_in(browser)
    accounts.sign_up(email="ann@example.com", password=PASSWORD, display_name="Ann", now=now)

    assert User.objects.get(email="ann@example.com").pk != ann.pk


@pytest.mark.django_db(transaction=True)
def test_held_seats_and_places_in_line_are_given_up(event, ann, now, monkeypatch):
    line = SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=line.pk, to="open", by=None, now=now)
    queue.join(event_id=event.pk, person=str(ann.pk), now=now)
    code = hold(event, ann, now, seat_ids(event)[0]).reservation.code
    other = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    queue.move_queue(event_id=other.pk, to="open", by=None, now=now)
    leave = Mock(wraps=reservations.leave)
    monkeypatch.setattr(reservations, "leave", leave)

    delete(ann, now)

    assert Reservation.objects.get(code=code).state == "released"
    assert queue.standing(event_id=event.pk, person=str(ann.pk), now=now).state != "admitted"
    leave.assert_called_once_with(event_id=event.pk, fan_id=ann.pk, now=now)


# -- questions and refusals -----------------------------------------------------------------------


def test_upcoming_tickets_are_asked_about_and_stay_valid(event, ann, anns_browser, worker, now):
    buy(event, ann, now)
    page = anns_browser.get(PAGE).content.decode()
    assert "You have tickets for upcoming events" in page

    assert "knows_tickets" in anns_browser.post(PAGE, {"is_sure": "on"}).context["form"].errors
    with pytest.raises(TicketsLeft):
        delete(ann, now, knows_tickets=False)
    anns_browser.post(PAGE, {"is_sure": "on", "knows_tickets": "on"})

    assert User.objects.get(pk=ann.pk).deleted_at is not None
    ticket = Ticket.objects.filter(holder=ann).first()
    assert (ticket.state, ticket.name) == ("valid", "Ann")  # the door may ask for the name
    is_over(event, now)
    services.purge(now=now)
    ticket.refresh_from_db()
    assert ticket.name == "—"


def test_open_offers_are_withdrawn(event, ann, now):
    code = buy(event, ann, now)
    ticket = Ticket.objects.filter(reservation__code=code).first()
    reservations.offer_ticket(code=ticket.code, fan_id=ann.pk, email="c@example.com", now=now)

    delete(ann, now)

    assert TransferOffer.objects.get().state == "withdrawn"


def begin_to_pay(order: Reservation, now) -> None:
    Payment.objects.create(
        payment_key=uuid4(),
        reservation=order,
        fan_id=order.fan_id,
        amount=order.total,
        currency=order.currency,
        created_at=now,
        due_at=now,
    )


@pytest.fixture
def order(event, ann, now) -> Reservation:
    """Whose payment can begin."""
    code = hold(event, ann, now, seat_ids(event)[0]).reservation.code
    reservations.extend_for_payment(code=code, fan_id=ann.pk, now=now)
    return Reservation.objects.get(code=code)


def test_not_while_money_is_under_way(order, ann, now):
    begin_to_pay(order, now)

    with pytest.raises(MoneyUnderWay):
        delete(ann, now)

    assert User.objects.get(pk=ann.pk).deleted_at is None


@pytest.fixture
def pays_meanwhile(order, now, monkeypatch) -> None:
    """The payment begins between the first check and the erasure."""
    monkeypatch.setattr(deletions, "_withdraw_offers", lambda *_: begin_to_pay(order, now))


def test_a_payment_that_begins_meanwhile_is_seen(pays_meanwhile, ann, now):
    with pytest.raises(MoneyUnderWay):
        delete(ann, now)

    assert User.objects.get(pk=ann.pk).email == "ann@example.com"


def test_control_without_the_second_look_it_is_not(pays_meanwhile, ann, now, monkeypatch):
    monkeypatch.setattr(selectors, "has_money_under_way", lambda _: False)

    delete(ann, now)

    assert User.objects.get(pk=ann.pk).deleted_at == now


def test_staff_do_not_delete_themselves(operator, now):
    with pytest.raises(StaffAccount):
        delete(operator, now)


def test_a_session_that_was_left_open_can_not(ann, anns_browser, now):
    session = anns_browser.session
    session["fresh_at"] = (now - timedelta(hours=1)).timestamp()
    session.save()

    assert "/accounts/identity/" in anns_browser.get(PAGE).url
    assert "/accounts/identity/" in anns_browser.post(PAGE, {"is_sure": "on"}).url
    assert User.objects.filter(pk=ann.pk, deleted_at=None).exists()
