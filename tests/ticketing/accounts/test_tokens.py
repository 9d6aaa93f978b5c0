"""API tokens: scopes, expiry, origin, and what ends them."""

from datetime import datetime, timedelta
from threading import Event, Thread

import pytest
from django.db import connection, transaction
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.making import PASSWORD, make_user
from tests.ticketing.accounts.conftest import logged_in, new_browser
from tests.ticketing.accounts.test_profile import token_form
from tests.waiting import wait_until
from ticketing.accounts import locks, services
from ticketing.accounts.errors import ScopeMissing, WrongPassword
from ticketing.accounts.models import ApiToken, User
from ticketing.core.errors import NotAllowed

ME, TOKENS, CREATE = "/api/v1/me/", "/api/v1/tokens/", "/accounts/tokens/"
NEW = "quite-another-passphrase"


@pytest.fixture
def secret(ann: User, now: datetime) -> str:
    return services.create_token(user=ann, name="script", now=now)[1]


@pytest.fixture
def boss(db: None) -> User:
    """Staff with a phone."""
    return with_phone(make_user(email="boss@example.com", is_staff=True, is_superuser=True))


def with_phone(user: User) -> User:
    TOTPDevice.objects.create(user=user, confirmed=True, name="phone")
    return user


def code_of(user: User) -> str:
    phone = TOTPDevice.objects.get(user=user)
    return f"{totp(phone.bin_key, phone.step, phone.t0, phone.digits, 0):06}"


def status_with(secret: str, address: str = ME) -> int:
    return Client().get(address, headers={"authorization": f"Bearer {secret}"}).status_code


def ask(email: str, **more: object):
    sent = {"email": email, "password": PASSWORD, "name": "script"} | more
    return Client().post(TOKENS, sent, content_type="application/json")


def change_password(ann: User) -> None:
    changed = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert logged_in(ann).post("/accounts/password/", changed).status_code == 302


def reset_password(ann: User) -> None:
    ann.set_password(NEW)
    ann.save()


def log_out_everywhere(ann: User) -> None:
    logged_in(ann).post("/accounts/log-out-everywhere/")


def become_staff(ann: User) -> None:
    ann.is_staff = True
    ann.save()


def get_another_address(ann: User) -> None:
    ann.email = "anna@example.com"
    ann.save()


@pytest.mark.parametrize(
    "change",
    [change_password, reset_password, log_out_everywhere, become_staff, get_another_address],
)
def test_every_change_of_credentials_ends_all_tokens(ann: User, ben: User, secret, change, now):
    bens = services.create_token(user=ben, name="script", now=now)[1]
    assert status_with(secret) == 200

    change(ann)

    assert (status_with(secret), status_with(bens)) == (401, 200)


def test_a_token_that_an_older_release_creates_without_an_end_gets_one(ann: User, now: datetime):
    """As its processes do while the site is updated."""
    token = ApiToken.objects.create(
        user=ann, name="script", digest="0" * 64, created_at=now, expires_at=None
    )

    token.refresh_from_db()

    assert token.expires_at == now + timedelta(days=90)


def test_a_token_ends_by_itself_after_ninety_days(ann: User, secret: str, now: datetime):
    token = ApiToken.objects.get()

    assert token.expires_at == now + timedelta(days=90)
    assert token.is_live(now + timedelta(days=89))
    assert not token.is_live(now + timedelta(days=90))
    assert ask(ann.email, days=366).status_code == 400


@pytest.mark.parametrize(
    ("scopes", "needed", "allowed"),
    [("read", "read", True), ("read", "buy", False), ("buy", "buy", True), ("door", "read", False)],
)
def test_a_token_is_valid_within_its_scopes(db, now, scopes, needed, allowed):
    staff = make_user(is_staff=True)
    secret = services.create_token(user=staff, name="x", scopes=[scopes], now=now)[1]

    if allowed:
        services.authenticate_token(secret=secret, scope=needed, now=now)
    else:
        with pytest.raises(ScopeMissing):
            services.authenticate_token(secret=secret, scope=needed, now=now)


def test_a_token_that_reads_can_not_buy(ann: User, event, now: datetime):
    secret = services.create_token(user=ann, name="x", scopes=["read"], now=now)[1]
    bearer = {"authorization": f"Bearer {secret}"}

    for address in ("reservations/", "queue/"):
        call = f"/api/v1/events/{event.pk}/{address}"
        answer = Client().post(call, {}, content_type="application/json", headers=bearer)
        assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert status_with(secret, f"/api/v1/events/{event.pk}/reservations/") == 200


@pytest.mark.parametrize("scope", ["door", "operate"])
def test_fans_get_no_token_of_staff(ann: User, now: datetime, scope: str):
    assert ask(ann.email, scopes=[scope]).status_code == 403
    with pytest.raises(NotAllowed):
        services.create_token(user=ann, name="x", scopes=[scope], now=now)
    page = logged_in(ann).post(CREATE, token_form(scopes=[scope]))
    assert "scopes" in page.context["form"].errors
    assert not ApiToken.objects.exists()


def test_origin_and_last_use_are_recorded(ann: User):
    secret = ask(ann.email).json()["secret"]
    Client(REMOTE_ADDR="203.0.113.9").get(ME, headers={"authorization": f"Bearer {secret}"})

    token = ApiToken.objects.get()
    assert (token.created_from, token.last_used_from) == ("127.0.0.1", "203.0.113.9")
    assert "203.0.113.9" in logged_in(ann).get("/accounts/developers/").content.decode()


@pytest.mark.parametrize("password", ["", "wrong"])
def test_a_session_alone_makes_no_token(ann: User, password: str):
    page = logged_in(ann).post(CREATE, token_form(current_password=password))

    assert "current_password" in page.context["form"].errors
    assert not ApiToken.objects.exists()


def test_a_token_revokes_itself_and_no_other(ann: User, secret: str, now: datetime):
    other, _ = services.create_token(user=ann, name="other", now=now)
    own = ApiToken.objects.exclude(pk=other.pk).get()
    bearer = {"authorization": f"Bearer {secret}"}

    assert Client().delete(f"{TOKENS}{other.pk}/", headers=bearer).status_code == 403
    assert Client().delete(f"{TOKENS}{own.pk}/", headers=bearer).status_code == 204


# -- the second factor -----------------------------------------------------------------------------


def test_a_token_of_staff_takes_the_code(boss: User):
    without = ask(boss.email, scopes=["operate"])
    wrong = ask(boss.email, scopes=["operate"], code="000000")
    TOTPDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)
    right = ask(boss.email, scopes=["operate"], code=code_of(boss))

    assert [answer.status_code for answer in (without, wrong, right)] == [403, 403, 201]
    assert without.json()["code"] == "second_factor_missing"
    assert ApiToken.objects.get().has_second_factor


def test_where_it_is_required_staff_without_a_phone_get_none(operator: User, settings):
    settings.STAFF_TWO_FACTOR = "required"

    assert ask(operator.email).json()["code"] == "second_factor_missing"
    page = logged_in(operator).post(CREATE, token_form())
    assert page.context["form"].non_field_errors()
    assert not ApiToken.objects.exists()


def test_the_form_asks_staff_for_the_code(boss: User):
    browser = logged_in(boss)
    without = browser.post(CREATE, token_form())
    right = browser.post(CREATE, token_form(code=code_of(boss)))

    assert "code" in without.context["form"].errors
    assert right.status_code == 201
    assert "code" not in new_browser().get(CREATE).url


# -- races -----------------------------------------------------------------------------------------


def create_during_a_change_of_password(ann: User, now: datetime) -> list[Exception]:
    """A token is asked for with the old password while a new one is about to be committed."""
    refusals: list[Exception] = []
    started = Event()

    def create() -> None:
        started.set()
        try:
            services.create_token(user=ann, name="script", now=now)
        except WrongPassword as refusal:
            refusals.append(refusal)
        finally:
            connection.close()

    changed = User.objects.get(pk=ann.pk)
    thread = Thread(target=create)
    with transaction.atomic():
        changed.set_password(NEW)
        changed.save()
        thread.start()
        started.wait()
        wait_until(lambda: not thread.is_alive() or waits_for_a_lock())
    thread.join()
    return refusals


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0


@pytest.mark.django_db(transaction=True)
def test_a_token_asked_for_before_a_change_does_not_outlive_it(ann: User, now: datetime):
    assert create_during_a_change_of_password(ann, now)
    assert not ApiToken.objects.filter(revoked_at=None).exists()


@pytest.mark.django_db(transaction=True)
def test_control_without_the_lock_it_does(ann: User, now: datetime, monkeypatch):
    monkeypatch.setattr(locks, "user_for_update", lambda pk: User.objects.get(pk=pk))

    assert not create_during_a_change_of_password(ann, now)
    assert ApiToken.objects.filter(revoked_at=None).exists()


@pytest.mark.parametrize(("language", "choice"), [("en", "90 days"), ("ko", "90일")])
def test_the_lifetimes_of_tokens_are_in_the_readers_language(ann: User, language: str, choice: str):
    page = logged_in(ann).get(CREATE, headers={"accept-language": language}).content.decode()

    assert choice in page
