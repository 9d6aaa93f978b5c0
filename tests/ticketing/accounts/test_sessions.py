"""Sessions: true in PostgreSQL, read from Redis; a row and its copy end together or not at all."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import UpdateError
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from redis.exceptions import RedisError

from tests.making import PASSWORD, make_user
from tests.ticketing.accounts.conftest import is_logged_in, logged_in
from ticketing.accounts import services
from ticketing.accounts.models import Session, User
from ticketing.accounts.selectors import Caller, acaller, caller
from ticketing.accounts.sessions import COPY_SECONDS, SessionStore
from ticketing.core.error_responses import OUTAGES


@pytest.fixture
def key(anns_browser: Client) -> str:
    return anns_browser.session.session_key


def test_a_session_knows_whose_it_is(ann: User, key: str):
    assert Session.objects.get(pk=key).user == ann


def test_who_the_caller_is_costs_no_sql(ann: User, key: str, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert caller(key) == Caller.of(ann)


async def test_the_same_from_asynchronous_code(ann: User, key: str):
    assert await acaller(key) == Caller.of(ann)
    assert await acaller(None) is None


@pytest.mark.parametrize("nobody", [None, "", "x", "0" * 32, "a\x00b", "../../etc"])
def test_a_made_up_key_is_nobody(db: None, nobody: str | None):
    assert caller(nobody) is None


def test_a_session_without_a_log_in_is_nobody(db: None):
    session = SessionStore()
    session["language"] = "en"
    session.save()

    assert caller(session.session_key) is None


@pytest.mark.parametrize("door", ["/accounts/log-in/", "/admin/login/"])
def test_every_log_in_puts_the_caller_into_the_session(operator: User, browser: Client, door: str):
    browser.post(door, {"username": operator.email, "password": PASSWORD})

    known = caller(browser.session.session_key)
    assert known == Caller.of(operator)


def test_a_lost_redis_logs_nobody_out(key: str, django_assert_num_queries):
    cache.clear()

    with django_assert_num_queries(1):
        assert caller(key)
    with django_assert_num_queries(0):
        assert caller(key), "it was copied again"


def test_a_redis_that_is_down_logs_nobody_out(anns_browser: Client, key: str, redis_down):
    with redis_down():
        assert caller(key).name == "Ann"
        assert anns_browser.get("/accounts/").status_code == 200


def test_a_copy_does_not_live_long(key: str):
    assert 0 < cache.ttl(f"session:{key}") <= COPY_SECONDS


def test_a_copy_does_not_outlive_its_session(ann: User):
    session = SessionStore()
    session.set_expiry(30)
    session.save()

    assert cache.ttl(f"session:{session.session_key}") <= 30


# -- the end ---------------------------------------------------------------------------------------


def test_log_out_ends_row_and_copy(anns_browser: Client, key: str):
    anns_browser.post("/accounts/log-out/")

    assert caller(key) is None
    assert not Session.objects.filter(pk=key).exists()


def test_log_out_without_redis_is_refused_and_nothing_comes_alive_later(
    anns_browser: Client, key: str, redis_down
):
    with redis_down():
        assert anns_browser.post("/accounts/log-out/").status_code == 503
        assert caller(key), "refused means still logged in"

    assert anns_browser.post("/accounts/log-out/").status_code == 302
    assert caller(key) is None
    cache.clear()
    assert caller(key) is None


def test_control_deleting_the_row_alone_leaves_a_copy_that_comes_alive(key: str, redis_down):
    with redis_down():
        Session.objects.filter(pk=key).delete()

    assert caller(key) is not None


def test_who_read_the_row_just_before_the_end_can_not_revive_it(key: str):
    cache.clear()
    slow = SessionStore(key)
    row = slow._get_session_from_db()

    SessionStore(key).delete()
    slow._get_session_from_db = lambda: row
    slow.load()

    assert caller(key) is None


def test_who_saves_after_the_end_is_refused(key: str):
    slow = SessionStore(key)
    slow["basket"] = 1

    SessionStore(key).delete()

    with pytest.raises(UpdateError):
        slow.save()
    assert caller(key) is None


def test_a_change_that_can_not_be_copied_is_not_made(key: str, redis_down):
    session = SessionStore(key)
    session["basket"] = 1

    with redis_down(), pytest.raises(OUTAGES):
        session.save()

    cache.clear()
    assert "basket" not in SessionStore(key).load()


def changes_password(user: User) -> None:
    user.set_password("quite-another-passphrase")
    user.save()


def becomes_staff(user: User) -> None:
    user.is_staff = True
    user.save()


ENDINGS = [
    changes_password,
    becomes_staff,
    lambda user: services.deactivate(user=user),
    lambda user: services.log_out_everywhere(user=user),
    lambda user: user.delete(),
    lambda user: User.objects.filter(pk=user.pk).delete(),
]


@pytest.mark.parametrize("end", ENDINGS)
def test_what_a_session_says_is_never_out_of_date(ann: User, ben: User, key: str, end):
    bens = logged_in(ben)

    end(User.objects.get(pk=ann.pk))

    assert caller(key) is None
    assert not Session.objects.filter(pk=key).exists()
    assert is_logged_in(bens)


@pytest.mark.parametrize("end", ENDINGS)
def test_without_redis_that_is_refused_whole(ann: User, key: str, redis_down, end):
    with redis_down(), pytest.raises((RedisError, *OUTAGES)), transaction.atomic():
        end(User.objects.get(pk=ann.pk))

    now_ann = User.objects.get(pk=ann.pk)
    assert now_ann.is_active
    assert not now_ann.is_staff
    assert now_ann.check_password(PASSWORD)
    assert caller(key)


def test_noting_the_last_log_in_or_a_new_name_ends_nothing(ann: User, key: str):
    ann.display_name = "Anna"
    ann.save()
    User.objects.only("email").get(pk=ann.pk).save()

    assert caller(key)


# -- the clean-up ----------------------------------------------------------------------------------


def old_session(number: int, ended: datetime) -> Session:
    return Session(session_key=f"old{number}", session_data="", expire_date=ended)


def test_old_sessions_are_forgotten_in_batches(
    key: str, now: datetime, django_assert_max_num_queries
):
    Session.objects.bulk_create(old_session(n, now - timedelta(days=1)) for n in range(25))

    with django_assert_max_num_queries(6):
        assert services.delete_expired_sessions(now=now, batch=10) == 25

    assert list(Session.objects.values_list("session_key", flat=True)) == [key]
    assert caller(key)


def test_the_time_is_told(key: str, now: datetime):
    assert services.delete_expired_sessions(now=now) == 0
    assert services.delete_expired_sessions(now=now + timedelta(days=15)) == 1


def test_the_scheduled_task_exists():
    from ticketing.celery import app

    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert "accounts.delete_expired_sessions" in scheduled & set(app.tasks)


def test_a_session_is_not_tied_to_the_key_alone(ann: User, key: str):
    """The page's way checks the password's fingerprint too, so a copied row is worth nothing."""
    session = SessionStore(key)
    session["_auth_user_hash"] = "forged"
    session.save()
    client = Client()
    client.cookies["sessionid"] = key

    assert client.get("/accounts/").status_code == 302
    assert SESSION_KEY not in client.session


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["log-out", "log-out-everywhere"])
@pytest.mark.parametrize("is_staff", [True, False])
def test_logging_out_on_any_page_deletes_kept_tickets(client, path, is_staff):
    """Not the storage of staff, where check-ins may wait to be sent."""
    client.force_login(make_user(is_staff=is_staff))

    response = client.post(f"/accounts/{path}/")

    kept = None if is_staff else '"storage"'
    assert (response.status_code, response.headers.get("Clear-Site-Data")) == (302, kept)
