"""What an event asks of people: at joining, holding, paying and standby, in all ways."""

import asyncio
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, OperationalError

from reservations import services as reservations
from tests.making import make_event, make_user, seat_ids
from tests.reservations.acting import hold
from tests.ticketing.core.fast_path.site import admit
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts import services as accounts
from ticketing.accounts.errors import EmailNotConfirmed, IdentityNotVerified, TooYoung
from ticketing.accounts.selectors import Caller
from ticketing.core import redis
from ticketing.core.ttl_cache import clear_ttl_caches
from ticketing.events.models import Event
from ticketing.events.services import aentry_rule, entry_rule, require_identity
from waiting_queue import services as queue
from waiting_queue.models import PlaceSignals, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
SEOUL = ZoneInfo("Asia/Seoul")


def verify(user, now, year=2000):
    accounts.record_identity(
        user_id=user.pk,
        unique_value=f"ci {user.pk}",
        birth_year=year,
        now=now,
        has_seats=lambda pk: False,
    )


def set_level(event, level, age=0):
    Event.objects.filter(pk=event.pk).update(identity_level=level, minimum_age=age)
    clear_ttl_caches()  # as after a second


def known(is_confirmed=True, birth_year=0):
    return Caller(1, "Ann", is_staff=False, is_confirmed=is_confirmed, birth_year=birth_year)


@pytest.mark.parametrize(
    ("level", "refused_unknown", "refused_confirmed", "refused_verified"),
    [
        ("none", None, None, None),
        ("email", EmailNotConfirmed, None, None),
        ("identity", EmailNotConfirmed, IdentityNotVerified, None),
    ],
)
def test_each_level_asks_for_what_it_says(
    event, level, refused_unknown, refused_confirmed, refused_verified
):
    set_level(event, level)
    people = [known(is_confirmed=False), known(), known(birth_year=2000)]

    assert [refusal_of(entry_rule(event.pk), who) for who in people] == [
        *(refused_unknown, refused_confirmed, refused_verified),
    ]


def refusal_of(rule, who):
    try:
        rule.check(who)
    except (EmailNotConfirmed, IdentityNotVerified, TooYoung) as refusal:
        return type(refusal)
    return None


# -- age ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("starts", "birth_year", "refused"),
    [
        (datetime(2026, 12, 31, 23, 59, tzinfo=SEOUL), 2007, None),
        (datetime(2026, 12, 31, 23, 59, tzinfo=SEOUL), 2008, TooYoung),
        (datetime(2027, 1, 1, 0, 0, tzinfo=SEOUL), 2008, None),  # still 2026 in UTC
        (datetime(2027, 1, 1, 0, 0, tzinfo=SEOUL), 2009, TooYoung),
    ],
)
def test_an_age_is_reached_on_the_first_day_of_the_year_in_seoul(
    event, starts, birth_year, refused
):
    set_level(event, "identity", age=19)
    times = {"on_sale_at": datetime(2026, 1, 1, tzinfo=SEOUL), "doors_at": starts}
    Event.objects.filter(pk=event.pk).update(starts_at=starts, **times)

    assert refusal_of(entry_rule(event.pk), known(birth_year=birth_year)) is refused


def test_an_age_limit_takes_an_identity(now):
    with pytest.raises(IntegrityError):
        make_event(now, minimum_age=19)


# -- everywhere -----------------------------------------------------------------------------------


@pytest.fixture
def demanding(now):
    """An event that asks for identities, with an open line."""
    event = make_event(now, identity_level="identity")
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    return event


def test_joining_is_refused_and_leads_to_the_page_on_which_one_verifies(client, demanding, fan):
    client.force_login(fan)

    answer = client.post(f"/events/{demanding.pk}/queue/", headers={"accept": "text/html"})

    assert (answer.status_code, answer.headers["Location"]) == (
        *(303,),
        f"/verify/?event={demanding.pk}",
    )


def test_programs_read_why_they_can_not_join(client, demanding, fan):
    client.force_login(fan)

    answer = client.post(
        f"/api/v1/events/{demanding.pk}/queue/", headers={"origin": "http://testserver"}
    )

    body = answer.json()
    assert (answer.status_code, body["code"]) == (403, "identity_not_verified")
    assert body["details"] == {"event": demanding.pk}


def test_whoever_is_verified_joins_without_sql(client, demanding, fan, now, statements):
    verify(fan, now)
    cookies = {"sessionid": logged_in(fan)}
    entry_rule(demanding.pk)  # known for a second
    client.cookies.load(cookies)

    with statements() as sql:
        answer = client.post(
            f"/api/v1/events/{demanding.pk}/queue/", headers={"origin": "http://testserver"}
        )

    assert answer.status_code == 201
    assert sql == []


@pytest.fixture
def statements():
    from contextlib import contextmanager

    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    @contextmanager
    def capture():
        found: list[str] = []
        with CaptureQueriesContext(connection) as seen:
            yield found
        found.extend(query["sql"] for query in seen)

    return capture


def test_joining_by_coroutine_asks_for_the_same(demanding, now):
    async def join(who):
        return await queue.ajoin(event_id=demanding.pk, person="7", now=now, known=who)

    with pytest.raises(IdentityNotVerified):
        asyncio.run(join(known()))
    assert asyncio.run(join(known(birth_year=2000))).number == 1


def test_who_tries_without_an_identity_is_noted_once_with_where_they_come_from(demanding, now):
    newcomer = queue.Newcomer(address="203.0.113.7", account_since=int(now.timestamp()))
    who = {"event_id": demanding.pk, "now": now, "known": known(), "newcomer": newcomer}

    async def join():
        with pytest.raises(IdentityNotVerified):
            await queue.ajoin(person="2", **who)
        await redis.close_async_clients()  # sends what nobody waits for

    for _ in range(3):
        with pytest.raises(IdentityNotVerified):
            queue.join(person="1", **who)
        asyncio.run(join())
        clear_ttl_caches()  # as other processes
    queue.drain_signals()

    found = PlaceSignals.objects.filter(event=demanding.pk)
    assert sorted(found.values_list("person", "address_range", "signals")) == [
        (person, "203.0.113.0/24", {"account_age": "day", "refused": True}) for person in (1, 2)
    ]


def test_a_party_is_no_way_around(demanding, now):
    with pytest.raises(IdentityNotVerified):
        queue.join_party(event_id=demanding.pk, person="7", code="X", now=now, known=known())


def test_who_joined_before_the_level_was_raised_keeps_the_place_and_verifies_before_holding(
    event, fan, now
):
    SaleQueue.objects.create(event=event, opens_at=now)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    person = {"event_id": event.pk, "person": str(fan.pk)}
    admit(event, fan)
    set_level(event, "identity")

    with pytest.raises(IdentityNotVerified):
        hold(event, fan, now, seat_ids(event)[0])
    assert queue.standing(**person, now=now).state == "admitted"
    verify(fan, now)
    assert hold(event, fan, now, seat_ids(event)[0]).is_new


def test_holds_in_the_event_loop_ask_for_the_same(event, fan, now):
    set_level(event, "identity", age=19)
    verify(fan, now, year=event.starts_at.year)

    choice = reservations.SeatChoice.named(seat_ids(event)[:1])

    async def hold_there():
        return await reservations.ahold_seats(
            event_id=event.pk, choice=choice, fan_id=fan.pk, now=now
        )

    with pytest.raises(TooYoung):
        asyncio.run(hold_there())


def test_a_level_that_was_lowered_lets_everybody_in_again(demanding, fan):
    with pytest.raises(IdentityNotVerified):
        require_identity(event_id=demanding.pk, person_id=fan.pk)

    set_level(demanding, "none")

    require_identity(event_id=demanding.pk, person_id=fan.pk)


def test_the_standby_list_asks_for_the_same(now, fan):
    event = make_event(now, identity_level="identity", state=Event.State.SOLD_OUT)

    with pytest.raises(IdentityNotVerified):
        reservations.join_standby(event_id=event.pk, fan_id=fan.pk, quantity=1, now=now)


def test_a_ticket_is_not_handed_to_somebody_who_is_too_young(now, event):
    from tests.reservations.tickets.conftest import buy

    giver, taker = make_user(), make_user(email="young@example.com")
    sold = buy(event, giver, now, seat_ids(event)[0])
    ticket = sold.tickets.get()
    offer = reservations.offer_ticket(
        code=ticket.code, fan_id=giver.pk, email=taker.email, now=now, language="en"
    )
    set_level(event, "identity", age=19)
    verify(taker, now, year=event.starts_at.year)

    with pytest.raises(TooYoung):
        reservations.accept_offer(code=offer.code, fan_id=taker.pk, now=now)


# -- while the database is down -------------------------------------------------------------------


def test_the_last_rule_known_counts_while_the_database_is_down(event, monkeypatch):
    set_level(event, "identity")
    before = entry_rule(event.pk)
    entry_rule._results.clear()  # a second later

    def down(*args, **kwargs):
        raise OperationalError("down")

    monkeypatch.setattr(Event.objects, "filter", down)

    assert entry_rule(event.pk) == before
    assert asyncio.run(aentry_rule(event.pk)) == before
