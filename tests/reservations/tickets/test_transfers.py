"""Another name, another code, another owner: by the event's rules, and the old code dies."""

from datetime import timedelta

import pytest

from reservations import errors, services
from reservations import selectors as orders
from reservations.models import Ticket
from reservations.selectors import tickets
from reservations.tickets import signing
from tests.making import make_user, seat_ids
from tests.reservations.acting import hold
from tests.reservations.tickets.conftest import buy, scan
from ticketing.accounts.errors import EmailNotConfirmed

pytestmark = pytest.mark.django_db


def offer(ticket, giver, receiver, now):
    whose = {"code": ticket.code, "fan_id": giver.pk}
    return services.offer_ticket(**whose, email=receiver.email, now=now)


def give(ticket, giver, receiver, now):
    code = offer(ticket, giver, receiver, now).code
    return services.accept_offer(code=code, fan_id=receiver.pk, now=now)


def test_a_new_code_kills_the_old_one(event, ticket, fan, doorkeeper, now):
    old = signing.qr_text(ticket)

    new = services.reissue_ticket(code=ticket.code, fan_id=fan.pk, now=now)

    refused = scan(event, old, doorkeeper, now)
    assert (refused.answer, refused.reason) == ("void", "reissued")
    assert scan(event, signing.qr_text(new), doorkeeper, now).answer == "valid"
    assert (new.serial, new.replaces, new.seat) == (2, ticket, ticket.seat)


def test_another_name_is_a_new_ticket(ticket, fan, now):
    new = services.rename_ticket(code=ticket.code, fan_id=fan.pk, name="Bea", now=now)

    ticket.refresh_from_db()
    assert (new.name, new.holder, ticket.state, ticket.reason) == ("Bea", fan, "void", "renamed")


def test_an_operator_issues_again_with_a_reason(ticket, operator, now):
    new = services.reissue_by_operator(code=ticket.code, by=operator, why="lost", now=now)

    change = new.changes.get()
    assert (change.by, change.what, change.why) == (operator, "reissued", "lost")


@pytest.mark.parametrize("hours", [None, 24])
def test_the_event_says_until_when(event, ticket, fan, rival, now, hours):
    event.rename_hours = event.transfer_hours = hours
    event.save()
    late = event.starts_at - timedelta(hours=hours or 500)

    with pytest.raises(errors.NotRenamable):
        services.rename_ticket(code=ticket.code, fan_id=fan.pk, name="Bea", now=late)
    with pytest.raises(errors.NotTransferable):
        offer(ticket, fan, rival, late)
    if hours:
        assert offer(ticket, fan, rival, late - timedelta(seconds=1))


def test_an_offer_is_accepted_only_as_long_as_the_event_allows(event, ticket, fan, rival, now):
    code = offer(ticket, fan, rival, now).code

    with pytest.raises(errors.NotTransferable):
        services.accept_offer(code=code, fan_id=rival.pk, now=event.starts_at)


def test_a_ticket_is_the_receivers_once_they_accept(event, ticket, fan, rival, doorkeeper, now):
    old = signing.qr_text(ticket)
    made = offer(ticket, fan, rival, now)
    assert tickets.open_offers_to(fan_id=rival.pk, now=now) == [made]
    assert tickets.own_tickets(fan_id=rival.pk, now=now) == []

    new = services.accept_offer(code=made.code, fan_id=rival.pk, now=now)

    assert tickets.own_tickets(fan_id=rival.pk, now=now) == [new]
    assert new.name == rival.display_name
    assert len(tickets.own_tickets(fan_id=fan.pk, now=now)) == 1
    assert scan(event, old, doorkeeper, now).reason == "transferred"


def test_until_then_it_is_good_for_its_holder(event, ticket, fan, rival, doorkeeper, now):
    made = offer(ticket, fan, rival, now)

    assert scan(event, ticket.code, doorkeeper, now).answer == "valid"
    with pytest.raises(errors.NoOffer):
        services.accept_offer(code=made.code, fan_id=rival.pk, now=now)


def test_nobody_accepts_what_is_offered_to_another(ticket, fan, rival, now):
    made, stranger = offer(ticket, fan, rival, now), make_user(password=None)

    for answer in (services.accept_offer, services.decline_offer):
        with pytest.raises(errors.NoOffer):
            answer(code=made.code, fan_id=stranger.pk, now=now)


def test_an_offer_waits_for_somebody_who_signs_up_later(ticket, fan, now):
    whose = {"code": ticket.code, "fan_id": fan.pk}
    made = services.offer_ticket(**whose, email=" Cem@Example.com", now=now)
    cem = make_user(email="cem@example.com", password=None)

    assert services.accept_offer(code=made.code, fan_id=cem.pk, now=now).holder == cem


def test_a_stranger_with_the_receivers_address_does_not_get_it(ticket, fan, now):
    stranger = make_user(email="victim@example.com", email_confirmed_at=None)
    code = offer(ticket, fan, stranger, now).code

    for act in (services.accept_offer, services.decline_offer):
        with pytest.raises(EmailNotConfirmed):
            act(code=code, fan_id=stranger.pk, now=now)
    ticket.refresh_from_db()
    assert (ticket.holder, ticket.state) == (fan, "valid")


def test_an_offer_can_be_declined_or_withdrawn_and_made_again(ticket, fan, rival, now):
    services.decline_offer(code=offer(ticket, fan, rival, now).code, fan_id=rival.pk, now=now)
    second = offer(ticket, fan, rival, now)
    services.withdraw_offer(code=ticket.code, fan_id=fan.pk, now=now)

    with pytest.raises(errors.NoOffer):
        services.accept_offer(code=second.code, fan_id=rival.pk, now=now)
    assert give(ticket, fan, rival, now).holder == rival


def test_a_ticket_is_offered_to_one_at_a_time(ticket, fan, rival, now):
    offer(ticket, fan, rival, now)

    with pytest.raises(errors.AlreadyOffered):
        offer(ticket, fan, make_user(password=None), now)


def test_nobody_is_offered_what_they_have(ticket, fan, now):
    with pytest.raises(errors.OfferToSelf):
        offer(ticket, fan, fan, now)


def test_a_new_code_ends_the_offer_of_the_old_one(ticket, fan, rival, now):
    made = offer(ticket, fan, rival, now)
    services.reissue_ticket(code=ticket.code, fan_id=fan.pk, now=now)

    with pytest.raises(errors.NoOffer):
        services.accept_offer(code=made.code, fan_id=rival.pk, now=now)
    made.refresh_from_db()
    assert made.state == "withdrawn"


def test_nobody_gets_more_than_the_limit(event, ticket, fan, rival, now):
    buy(event, rival, now, *seat_ids(event)[4:8])

    with pytest.raises(errors.TooManySeats):
        give(ticket, fan, rival, now)


def test_what_was_given_counts_when_seats_are_chosen(event, ticket, fan, rival, now):
    give(ticket, fan, rival, now)
    hold(event, rival, now, *seat_ids(event)[4:7])

    with pytest.raises(errors.TooManySeats):
        hold(event, rival, now, seat_ids(event)[8])


def test_the_seat_map_shows_what_was_given(
    event, ticket, fan, rival, now, django_assert_num_queries
):
    give(ticket, fan, rival, now)
    hold(event, rival, now, seat_ids(event)[4])

    with django_assert_num_queries(1):
        own = orders.own_seats(event_id=event.pk, fan_id=rival.pk, now=now)
    assert [(it.id, it.state) for it in own] == [
        (ticket.seat_id, "confirmed"),
        (seat_ids(event)[4], "held"),
    ]


def test_what_was_given_away_counts_still(event, ticket, fan, rival, now):
    give(ticket, fan, rival, now)

    assert tickets.seats_counted(event_id=event.pk, fan_id=fan.pk) == 2
    with pytest.raises(errors.TooManySeats):
        hold(event, fan, now, *seat_ids(event)[4:7])


def test_it_may_come_back(event, ticket, fan, rival, now):
    hold(event, fan, now, *seat_ids(event)[4:6])

    back = give(give(ticket, fan, rival, now), rival, fan, now)

    assert (back.holder, back.serial) == (fan, 3)
    assert tickets.seats_counted(event_id=event.pk, fan_id=fan.pk) == 4


@pytest.mark.parametrize("step", ["rename", "reissue", "offer"])
def test_what_is_anothers_is_not_found(ticket, rival, now, step):
    more = {"rename": {"name": "X"}, "offer": {"email": "x@example.com"}}.get(step, {})

    with pytest.raises(errors.NoTicket):
        getattr(services, f"{step}_ticket")(code=ticket.code, fan_id=rival.pk, now=now, **more)


def test_what_was_used_stays_as_it_is(event, ticket, fan, rival, doorkeeper, now):
    scan(event, ticket.code, doorkeeper, now)

    with pytest.raises(errors.TicketUsed):
        services.reissue_ticket(code=ticket.code, fan_id=fan.pk, now=now)
    with pytest.raises(errors.TicketUsed):
        offer(ticket, fan, rival, now)
    assert Ticket.objects.filter(seat=ticket.seat).count() == 1


def test_what_is_void_stays_so(ticket, fan, now):
    services.reissue_ticket(code=ticket.code, fan_id=fan.pk, now=now)

    with pytest.raises(errors.TicketNotValid):
        services.reissue_ticket(code=ticket.code, fan_id=fan.pk, now=now)
