"""People of a rehearsal are people: logged in, and told apart from nobody."""

import pytest
from django.test import Client

from tests.making import make_user, seat_ids
from tests.reservations.acting import hold
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.accounts.models import Identity, Session, User
from ticketing.accounts.selectors import caller
from ticketing.accounts.sessions import cache_prefix
from ticketing.core import mails, redis
from ticketing.rehearsal import services
from ticketing.rehearsal.errors import RehearsalAlreadyRunning, RehearsalOver
from ticketing.rehearsal.services import cleanup

pytestmark = pytest.mark.django_db


@pytest.fixture
def rehearsal(sale, operator, now):
    return services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)


@pytest.fixture
def people(rehearsal, now):
    return services.make_people(code=rehearsal.code, numbers=range(3), now=now)


@pytest.fixture
def earlier(rehearsal):
    """Of an earlier release, whose people had ordinary ids and could hold real seats."""
    return make_user(password=None, email=f"fan-9{rehearsal.domain}")


def who(session):
    client = Client()
    client.cookies["sessionid"] = session
    return client.get("/api/v1/me/").json()


def test_their_sessions_are_good_for_every_page(people):
    assert who(people[1].session)["id"] == people[1].id
    assert people[1].email.startswith("fan-1@")


def test_a_session_is_a_row_and_a_copy(people):
    assert Session.objects.get(session_key=people[0].session).user_id == people[0].id
    assert redis.client().exists(cache_prefix() + people[0].session)


def test_a_session_survives_the_loss_of_redis(people):
    redis.client().flushdb()

    assert who(people[2].session)["id"] == people[2].id


def test_making_people_twice_returns_the_same_ones(people, rehearsal, now):
    again = services.make_people(code=rehearsal.code, numbers=range(4), now=now)

    assert again[:3] == people
    assert User.objects.filter(email__endswith=rehearsal.domain).count() == 4


def test_where_identities_are_asked_for_all_but_some_have_one(sale, operator, now):
    options = OPTIONS | {"identity_level": "identity"}
    rehearsal = services.start_rehearsal(event_id=sale.pk, options=options, by=operator, now=now)

    people = services.make_people(
        code=rehearsal.code, numbers=range(3), new={1}, unverified={1}, now=now
    )

    callers = [caller(person.session) for person in people]
    assert [bool(each.birth_year) for each in callers] == [True, False, True]
    assert [now.timestamp() - each.since < 3_600 for each in callers] == [False, True, False]
    services.clean_up_rehearsal(code=rehearsal.code, now=now)
    assert not Identity.objects.exists()


def test_elsewhere_nobody_has_one(people):
    assert not Identity.objects.exists()


def test_nobody_can_log_in_as_one_of_them(people):
    user = User.objects.get(pk=people[0].id)

    assert not user.has_usable_password()
    assert not user.is_staff


def test_none_are_made_once_it_is_over(people, rehearsal, now):
    services.clean_up_rehearsal(code=rehearsal.code, now=now)

    with pytest.raises(RehearsalOver):
        services.make_people(code=rehearsal.code, numbers=range(3), now=now)
    assert not User.objects.filter(email__endswith=rehearsal.domain).exists()
    assert "id" not in who(people[0].session)


@pytest.mark.parametrize(("address", "mailed"), [("a@x.invalid", 0), ("a@example.com", 1)])
def test_no_mail_is_sent_to_invalid_addresses(mailoutbox, address, mailed):
    mails.send(mails.Mail("password_reset", "Hello"), to=address, recipient="Ann")

    assert len(mailoutbox) == mailed


def test_somebody_who_bought_elsewhere_stays_and_is_counted(earlier, rehearsal, now, event):
    """A rehearsal never takes a real sale's rows away."""
    hold(event, earlier, now, seat_ids(event)[0])

    left = services.clean_up_rehearsal(code=rehearsal.code, now=now)

    assert {name: n for name, n in left.items() if n} == {
        "accounts.User": 1,
        "reservations.Reservation": 1,
    }
    assert event.reservations.count() == 1


def test_somebody_who_stays_keeps_no_other_rehearsal_from_beginning(
    earlier,
    people,
    rehearsal,
    now,
    event,
    sale,
):
    hold(event, earlier, now, seat_ids(event)[0])

    services.clean_up_rehearsal(code=rehearsal.code, now=now)
    rehearsal.refresh_from_db()
    following = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=None, now=now)

    assert rehearsal.cleaned_at == now
    assert rehearsal.left_behind["accounts.User"] == 1
    assert following.is_under_way
    assert "id" not in who(people[0].session)


@pytest.mark.parametrize("stuck", ["delete_rows_of_event", "delete_people"])
def test_what_could_go_and_did_not_keeps_the_next_from_beginning(
    earlier,
    people,
    rehearsal,
    now,
    event,
    sale,
    monkeypatch,
    stuck,
):
    hold(event, earlier, now, seat_ids(event)[0])
    monkeypatch.setattr(cleanup, "ROUNDS", 1)
    monkeypatch.setattr(cleanup.leftovers, stuck, lambda of: None)

    services.clean_up_rehearsal(code=rehearsal.code, now=now)
    rehearsal.refresh_from_db()

    assert rehearsal.cleaned_at is None
    with pytest.raises(RehearsalAlreadyRunning):
        services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=None, now=now)


def test_others_keep_their_accounts_and_sessions(people, rehearsal, now):
    other = make_user()
    client = Client()
    client.force_login(other)

    services.clean_up_rehearsal(code=rehearsal.code, now=now)

    assert client.get("/api/v1/me/").json()["id"] == other.pk
