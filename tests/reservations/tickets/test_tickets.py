"""A ticket for each seat in the moment in which it is sold, void once it is not."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from reservations import errors, selectors, services
from reservations.models import Ticket, TicketChange
from reservations.models.reservations import CODE_LENGTH, LETTERS
from tests.making import make_event, make_plan, seat_ids
from tests.reservations.acting import hold, places
from tests.reservations.tickets.conftest import buy, scan
from tests.waiting_queue.commands.calling import run

pytestmark = pytest.mark.django_db
State = Ticket.State


def states(order):
    return list(order.tickets.order_by("pk").values_list("state", flat=True))


def history(ticket):
    return list(ticket.changes.order_by("pk").values_list("what", flat=True))


def test_every_seat_that_is_paid_for_has_a_ticket(event, fan, order):
    tickets = list(order.tickets.order_by("seat_id"))

    assert [ticket.seat_id for ticket in tickets] == seat_ids(event)[:2]
    assert {(it.holder, it.name, it.serial, it.state) for it in tickets} == {
        (fan, "Ann", 1, "valid")
    }
    assert len({ticket.code for ticket in tickets}) == 2
    assert history(tickets[0]) == ["issued"]


def test_so_does_every_standing_place(fan, now):
    event = make_event(now, plan=make_plan(rows=0, standing=5))
    code = places(event, fan, now, 3).reservation.code
    services.extend_for_payment(code=code, fan_id=fan.pk, now=now)

    assert services.confirm(code=code, now=now).tickets.count() == 3


def test_who_bought_from_an_older_release_gets_theirs(order, now):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # past the final audit
        TicketChange.objects.all().delete()
        order.tickets.all().delete()

    assert run("tickets_issue")[0] == "1 order got its tickets.\n"
    assert run("tickets_issue")[0] == "0 orders got their tickets.\n"
    assert states(order) == ["valid"] * 2


def test_what_is_only_held_has_none(event, fan, now):
    hold(event, fan, now, seat_ids(event)[0])

    assert not Ticket.objects.exists()


def test_confirming_twice_issues_once(order, now):
    services.confirm(code=order.code, now=now)

    assert order.tickets.count() == 2


def test_selling_seats_with_their_tickets_costs_one_statement(
    event, fan, now, django_assert_num_queries
):
    code = hold(event, fan, now, *seat_ids(event)[:4]).reservation.code
    services.extend_for_payment(code=code, fan_id=fan.pk, now=now)

    with django_assert_num_queries(1):
        order = services.confirm(code=code, now=now)
    assert order.tickets.count() == 4


def test_codes_are_made_of_the_letters_that_people_can_read_out(order):
    codes = [ticket.code for ticket in order.tickets.all()]

    assert {len(code) for code in codes} == {CODE_LENGTH}
    assert set("".join(codes)) <= set(LETTERS)


def test_a_seat_has_one_live_ticket(ticket, now):
    ticket.pk, ticket.code = None, "ANOTHER"

    with pytest.raises(IntegrityError, match="one_live_ticket_per_seat"):
        ticket.save(force_insert=True)


def test_control_a_seat_may_have_any_number_of_void_ones(ticket):
    for code in ("FIRST", "SECOND"):
        ticket.pk, ticket.code, ticket.state = None, code, State.VOID
        ticket.save(force_insert=True)

    assert Ticket.objects.filter(seat=ticket.seat).count() == 3


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"state": "lost"}, "a_ticket_is_in_a_known_state"),
        ({"state": "used"}, "a_used_ticket_was_used_at_some_time"),
    ],
)
def test_a_ticket_makes_sense(ticket, wrong, name):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Ticket.objects.filter(pk=ticket.pk).update(**wrong)


def test_an_order_with_tickets_can_not_be_deleted(order):
    with pytest.raises(ProtectedError):
        order.delete()


def test_a_refund_makes_the_tickets_void(order, ticket, now):
    services.refund(code=order.code, now=now)

    ticket.refresh_from_db()
    assert (states(order), ticket.reason, ticket.ended_at) == (["void"] * 2, "refunded", now)
    assert history(ticket) == ["issued", "voided"]


@pytest.mark.django_db(transaction=True)  # the gate hears of the refund after the commit
def test_the_seat_is_sold_again_with_a_ticket_of_its_own(event, order, rival, now):
    services.refund(code=order.code, now=now)

    again = buy(event, rival, now, *seat_ids(event)[:2])

    assert states(again) == ["valid"] * 2
    assert states(order) == ["void"] * 2


def test_a_used_ticket_is_not_refunded(event, order, ticket, doorkeeper, now):
    scan(event, ticket.code, doorkeeper, now)

    for refund in (services.refund, services.suspend_tickets):
        with pytest.raises(errors.TicketUsed):
            refund(code=order.code, now=now)
    order.refresh_from_db()
    assert (order.state, states(order)) == ("confirmed", ["used", "valid"])


def test_nobody_walks_in_while_the_money_goes_back(event, order, ticket, doorkeeper, now):
    services.suspend_tickets(code=order.code, now=now)

    entry = scan(event, ticket.code, doorkeeper, now)

    assert (entry.answer, entry.reason) == ("void", "refunded")
    assert states(order) == ["refunding"] * 2


def test_a_refused_refund_gives_the_tickets_back(event, order, ticket, doorkeeper, now):
    services.suspend_tickets(code=order.code, now=now)
    services.suspend_tickets(code=order.code, now=now)

    services.restore_tickets(code=order.code, now=now)

    assert scan(event, ticket.code, doorkeeper, now).answer == "valid"
    assert history(ticket) == ["issued", "set_aside", "given_back", "checked_in"]


def test_a_fan_does_not_get_money_for_what_is_anothers_now(order, ticket, fan, rival, now):
    offer = services.offer_ticket(code=ticket.code, fan_id=fan.pk, email=rival.email, now=now)
    services.accept_offer(code=offer.code, fan_id=rival.pk, now=now)

    with pytest.raises(errors.TicketTransferred):
        services.suspend_tickets(code=order.code, for_fan=True, now=now)
    services.suspend_tickets(code=order.code, now=now)
    assert sorted(states(order)) == ["refunding", "refunding", "void"]


def test_the_tickets_of_an_order_are_its_live_ones(order, ticket, fan, rival, now):
    new = services.reissue_ticket(code=ticket.code, fan_id=fan.pk, now=now)

    found = selectors.tickets_of_order(code=order.code, fan_id=fan.pk)

    assert [it.pk for it in found] == [new.pk, order.tickets.order_by("pk")[1].pk]
    assert selectors.tickets_of_order(code=order.code, fan_id=rival.pk) == []


def test_the_history_says_who_and_from_what_to_what(ticket, fan, now):
    services.rename_ticket(code=ticket.code, fan_id=fan.pk, name="Bea", now=now)

    change = TicketChange.objects.latest("id")
    assert (change.by, change.before) == (fan, f"{ticket.code} Ann")
    assert change.after == f"{change.ticket.code} Bea"
