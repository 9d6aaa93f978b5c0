"""Consents at sign-up, at log-in and in the account, with version and time."""

from threading import Barrier

import pytest
from django.db import connection

from tests.making import PASSWORD, make_user
from tests.race import together
from tests.ticketing.accounts.conftest import is_logged_in
from tests.ticketing.accounts.test_sign_up import asked, typed
from tests.ticketing.privacy.conftest import new_version
from tests.waiting import PATIENCE
from ticketing.accounts import selectors, services
from ticketing.accounts.errors import ConsentMissing
from ticketing.accounts.models import Consent, User

PAGE = "/accounts/consents/"


def agree(user, documents, now, *kinds):
    services.give_consents(user_id=user.pk, agreed={documents[kind].pk for kind in kinds}, now=now)


def live(user) -> set[tuple[str, int]]:
    found = Consent.objects.filter(user=user, withdrawn_at=None)
    return set(found.values_list("document__kind", "document__version"))


# -- sign-up --------------------------------------------------------------------------------------


def test_sign_up_records_what_was_agreed_to(documents, browser, worker):
    ids = [documents[kind].pk for kind in ("terms", "privacy", "marketing")]

    browser.post(asked(browser), typed(consents=ids))

    cem = User.objects.get()
    assert live(cem) == {("terms", 1), ("privacy", 1), ("marketing", 1)}
    assert cem.consents.first().given_at == cem.date_joined


def test_what_is_optional_need_not_be_agreed_to(documents, browser, worker):
    browser.post(asked(browser), typed(consents=[documents["terms"].pk, documents["privacy"].pk]))

    assert live(User.objects.get()) == {("terms", 1), ("privacy", 1)}


@pytest.mark.parametrize("kinds", [(), ("terms",), ("terms", "marketing")])
def test_nobody_signs_up_without_the_required_ones(documents, browser, worker, kinds):
    answer = browser.post(asked(browser), typed(consents=[documents[kind].pk for kind in kinds]))

    assert "Please agree to the required documents" in answer.content.decode()
    assert not User.objects.exists()
    assert not is_logged_in(browser)


def test_who_saw_an_older_version_looks_again(documents, browser, worker, now):
    link, seen = asked(browser), [documents["terms"].pk, documents["privacy"].pk]
    new_version("terms", now)

    answer = browser.post(link, typed(consents=seen))

    assert "has changed" in answer.content.decode()
    assert not User.objects.exists()


# -- again, with a new version --------------------------------------------------------------------


def test_a_new_version_is_asked_for_at_the_next_log_in(documents, browser, ann, now):
    agree(ann, documents, now, "terms", "privacy")
    new = new_version("privacy", now)
    log_in = {"username": ann.email, "password": PASSWORD}

    answer = browser.post("/accounts/log-in/?next=/orders/", log_in)
    assert answer.url == f"{PAGE}?next=%2Forders%2F"
    assert "Agree and go on" in browser.get(answer.url).content.decode()
    refused = browser.post(answer.url, {})
    assert "Please agree to the required documents" in refused.content.decode()

    done = browser.post(answer.url, {"consents": [new.pk]})
    assert done.url == "/orders/"
    assert ("privacy", 2) in live(ann)
    browser.post("/accounts/log-out/")
    assert browser.post("/accounts/log-in/?next=/orders/", log_in).url == "/orders/"


def test_without_new_versions_nobody_is_asked(documents, browser, ann, now):
    agree(ann, documents, now, "terms", "privacy")

    answer = browser.post("/accounts/log-in/", {"username": ann.email, "password": PASSWORD})

    assert answer.url == "/"


# -- in the account -------------------------------------------------------------------------------


def test_marketing_is_withdrawn_and_given_again(documents, anns_browser, ann, now):
    agree(ann, documents, now, "terms", "privacy", "marketing")

    anns_browser.post(PAGE, {})
    assert live(ann) == {("terms", 1), ("privacy", 1)}
    assert ann.consents.get(document__kind="marketing").withdrawn_at is not None
    anns_browser.post(PAGE, {"consents": [documents["marketing"].pk]})

    assert ("marketing", 1) in live(ann)
    assert ann.consents.filter(document__kind="marketing").count() == 2
    page = anns_browser.get(PAGE).content.decode()
    assert "Version 1" in page
    assert f'value="{documents["marketing"].pk}"' in page
    assert "checked" in page


def test_another_persons_consents_stay(documents, anns_browser, ann, ben, now):
    for person in (ann, ben):
        agree(person, documents, now, "terms", "privacy", "marketing")

    anns_browser.post(PAGE, {})

    assert ("marketing", 1) in live(ben)


def test_the_service_refuses_what_the_form_would(documents, ann, now):
    with pytest.raises(ConsentMissing) as refusal:
        agree(ann, documents, now, "terms")

    privacy = documents["privacy"]
    named = {"id": privacy.pk, "kind": "privacy", "version": 1}
    assert refusal.value.details == {"documents": [named]}
    assert live(ann) == set()


# -- at the same moment ---------------------------------------------------------------------------


def given_by_many(documents, now) -> int:
    """How many rows there are after the same consents were given eight times at once."""
    user = make_user()
    answers = together(8, lambda _: agree(user, documents, now, "terms", "privacy"))
    assert answers == [None] * 8
    return Consent.objects.filter(user=user, document__kind="terms").count()


@pytest.mark.django_db(transaction=True)
def test_a_consent_is_recorded_once(transactional_db, documents, now):
    assert given_by_many(documents, now) == 1


@pytest.mark.django_db(transaction=True)
def test_control_without_the_constraint_it_is_recorded_twice(
    transactional_db, documents, now, monkeypatch
):
    """Everybody has read what is missing before anybody writes."""
    read, all_have_read = selectors.missing_documents, Barrier(8)

    def slowly(**whose):
        found = read(**whose)
        all_have_read.wait(PATIENCE)
        return found

    monkeypatch.setattr(selectors, "missing_documents", slowly)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexdef FROM pg_indexes WHERE indexname = 'a_consent_is_given_once'"
        )
        (made,) = cursor.fetchone()
        cursor.execute("DROP INDEX a_consent_is_given_once")
        try:
            assert given_by_many(documents, now) == 8
        finally:
            cursor.execute("DELETE FROM accounts_consent")
            cursor.execute(made)
