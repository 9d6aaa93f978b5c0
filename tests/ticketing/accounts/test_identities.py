"""One verified person, one account: recorded once, released by staff, never given by them."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from tests.making import make_user
from tests.race import together, winners
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts import errors, services
from ticketing.accounts.models import Identity, IdentityChange, SecurityEvent
from ticketing.accounts.selectors import birth_year, caller
from ticketing.accounts.services.identities import RELEASE_SETTLES

pytestmark = pytest.mark.django_db
CI = "ci-of-ann"
MANY = 6


def record(user, now, unique_value=CI, year=2000, has_seats=lambda pk: False):
    return services.record_identity(
        user_id=user.pk, unique_value=unique_value, birth_year=year, now=now, has_seats=has_seats
    )


def release(user, now, operator, closes_account=False):
    services.release_identity(
        user_id=user.pk, closes_account=closes_account, by=operator, why="called us", now=now
    )


@pytest.fixture
def ben():
    return make_user(display_name="Ben")


def test_a_keyed_digest_and_the_year_of_birth_are_all_that_is_stored(fan, now):
    record(fan, now)

    found = Identity.objects.get(user=fan)
    stored = {field.name for field in Identity._meta.fields}
    assert stored == {"user", "digest", "birth_year", "verified_at", "released_at"}
    assert CI not in found.digest
    assert len(found.digest) == 64


def test_another_key_makes_another_digest_and_an_earlier_one_is_still_known(
    fan, ben, now, settings
):
    record(fan, now)
    before = Identity.objects.get(user=fan).digest
    settings.IDENTITY_KEY, settings.IDENTITY_KEY_FALLBACKS = "new key", [settings.SECRET_KEY]

    with pytest.raises(errors.IdentityTaken):
        record(ben, now)
    record(fan, now)

    assert Identity.objects.get(user=fan).digest != before


def test_every_session_knows_at_once(fan, now, operator):
    key = logged_in(fan)

    record(fan, now)
    verified = caller(key).birth_year
    release(fan, now, operator)

    assert (verified, caller(key).birth_year, birth_year(fan.pk)) == (2000, 0, 0)


def test_a_repeat_changes_nothing(fan, now):
    record(fan, now)
    record(fan, now + timedelta(minutes=1))

    assert Identity.objects.get(user=fan).verified_at == now
    assert IdentityChange.objects.count() == 1


def test_a_second_account_of_the_person_is_refused(fan, ben, now):
    record(fan, now)

    with pytest.raises(errors.IdentityTaken):
        record(ben, now)

    assert birth_year(ben.pk) == 0


def test_an_account_is_not_handed_to_another_person(fan, now, operator):
    record(fan, now)
    release(fan, now, operator)

    with pytest.raises(errors.IdentityDiffers):
        record(fan, now, "ci-of-somebody-else")


def test_a_released_identity_can_be_taken_after_a_minute(fan, ben, now, operator):
    record(fan, now)
    release(fan, now, operator)
    with pytest.raises(errors.IdentityTaken):
        record(ben, now + RELEASE_SETTLES - timedelta(seconds=1))

    before = record(ben, now + RELEASE_SETTLES)

    assert before == fan.pk
    assert (birth_year(fan.pk), birth_year(ben.pk)) == (0, 2000)
    with pytest.raises(errors.IdentityTaken):
        record(fan, now + RELEASE_SETTLES)


def test_seats_of_the_other_account_keep_the_identity_there(fan, ben, now, operator):
    record(fan, now)
    release(fan, now, operator)

    with pytest.raises(errors.IdentityInUse):
        record(ben, now + RELEASE_SETTLES, has_seats=lambda pk: pk == fan.pk)

    assert birth_year(ben.pk) == 0


def test_a_release_says_who_and_why_and_tells_the_owner(fan, now, operator):
    record(fan, now)
    release(fan, now, operator, closes_account=True)

    change = IdentityChange.objects.latest("pk")
    assert (change.user, change.what, change.by, change.why) == (
        *(fan, "released", operator),
        "called us",
    )
    told = SecurityEvent.objects.get(user=fan, kind="identity_released")
    fan.refresh_from_db()
    assert (told.mail_to, fan.is_active) == (fan.email, False)


def test_the_audit_rows_are_final(fan, now, operator):
    record(fan, now)

    with pytest.raises(IntegrityError), transaction.atomic():
        IdentityChange.objects.update(why="never mind")
    fan.delete()

    assert not IdentityChange.objects.exists()


def test_what_is_not_verified_can_not_be_released(fan, now, operator):
    with pytest.raises(errors.NotVerified):
        release(fan, now, operator)


# -- in the admin ---------------------------------------------------------------------------------


def test_staff_release_an_identity_in_the_admin(client, fan, now, operator):
    record(fan, now)
    client.force_login(operator)
    url = f"/admin/accounts/identity/{fan.pk}/release/"

    assert client.get(url).status_code == 200
    assert client.post(url, {"reason": ""}).status_code == 200
    answer = client.post(url, {"reason": "same person", "closes_account": "on"})

    assert answer.status_code == 302
    page = client.get(f"/admin/accounts/identity/{fan.pk}/change/").content.decode()
    assert "same person" in page
    assert Identity.objects.get(user=fan).digest not in page


def test_a_session_that_was_left_open_releases_nothing(client, fan, now, operator):
    record(fan, now)
    client.force_login(operator)
    session = client.session
    session["fresh_at"] = 0
    session.save()

    answer = client.post(f"/admin/accounts/identity/{fan.pk}/release/", {"reason": "x"})

    assert answer.headers["Location"].startswith("/accounts/identity/?next=")
    assert birth_year(fan.pk) == 2000


# -- at the same moment ---------------------------------------------------------------------------


def verify_at_once(now):
    people = [make_user() for _ in range(MANY)]
    return together(MANY, lambda n: record(people[n], now) or "verified")


@pytest.mark.django_db(transaction=True)
def test_of_accounts_that_verify_one_person_at_once_one_is_verified(now):
    results = verify_at_once(now)

    assert winners(results) == ["verified"]
    assert sum(isinstance(result, errors.IdentityTaken) for result in results) == MANY - 1
    assert Identity.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_control_without_the_constraint_all_of_them_are_verified(now, monkeypatch):
    monkeypatch.setattr(services.identities.locks, "identity_for_update", lambda digests: None)
    drop = "ALTER TABLE accounts_identity DROP CONSTRAINT one_account_per_person"
    add = "ALTER TABLE accounts_identity ADD CONSTRAINT one_account_per_person UNIQUE (digest)"
    with connection.cursor() as cursor:
        cursor.execute(drop)
        try:
            results = verify_at_once(now)
        finally:
            found = Identity.objects.count()
            Identity.objects.all().delete()
            cursor.execute(add)

    assert winners(results) == ["verified"] * MANY
    assert found == MANY


@pytest.mark.django_db(transaction=True)
def test_of_accounts_that_want_a_released_identity_at_once_one_gets_it(now, operator):
    first = make_user()
    record(first, now)
    release(first, now, operator)

    results = verify_at_once(now + RELEASE_SETTLES)

    assert winners(results) == [first.pk]
    assert Identity.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_control_without_the_row_lock_several_believe_that_they_got_it(now, operator, monkeypatch):
    first = make_user()
    record(first, now)
    release(first, now, operator)
    read = Identity.objects.get()
    monkeypatch.setattr(services.identities.locks, "identity_for_update", lambda digests: read)

    results = verify_at_once(now + RELEASE_SETTLES)

    assert len(winners(results)) > 1
