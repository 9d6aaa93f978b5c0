"""Consents of an order: checked and recorded by the statement that begins its payment."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection

from payments.models import Payment
from tests.payments.api.test_payments import client_of, start
from tests.payments.saga.test_statements import begin
from tests.wire import traced
from ticketing.accounts import services
from ticketing.accounts.errors import ConsentMissing
from ticketing.accounts.models import Consent, LegalDocument

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = ("terms", "privacy", "third_party")


@pytest.fixture
def documents(transactional_db, now):
    services.add_default_documents(now=now)
    return {each.kind: each for each in LegalDocument.objects.all()}


@pytest.fixture
def everything(documents):
    return [documents[kind].pk for kind in KINDS]


def given(buyer) -> set[tuple[str, str]]:
    found = Consent.objects.filter(user=buyer.fan, withdrawn_at=None)
    return set(found.values_list("document__kind", "about"))


def test_an_order_records_the_consents_it_came_with(buyer, everything):
    begin(buyer, consents=everything)

    assert given(buyer) == {("terms", ""), ("privacy", ""), ("third_party", buyer.code)}


def test_nothing_begins_without_them(buyer, documents):
    with pytest.raises(ConsentMissing) as refusal:
        begin(buyer, consents=[documents["terms"].pk])

    missing = {each["kind"]: each["version"] for each in refusal.value.details["documents"]}
    assert missing == {"privacy": 1, "third_party": 1}
    assert not Payment.objects.exists()
    assert buyer.reservation.state == "held"
    assert given(buyer) == set()


def test_what_was_agreed_to_at_sign_up_is_not_asked_again(buyer, documents, now):
    agreed = {documents["terms"].pk, documents["privacy"].pk}
    services.give_consents(user_id=buyer.fan.pk, agreed=agreed, now=now)

    begin(buyer, consents=[documents["third_party"].pk])

    assert ("third_party", buyer.code) in given(buyer)


def test_each_order_needs_its_own(buyer, everything, now):
    begin(buyer, consents=everything)
    other = type(buyer)(buyer.event, buyer.fan, now, first=2)

    with pytest.raises(ConsentMissing):
        begin(other)


def test_a_new_version_is_asked_for(buyer, everything, now):
    texts = services.default_texts("terms")
    services.add_document(kind="terms", published_at=now, **texts)

    with pytest.raises(ConsentMissing) as refusal:
        begin(buyer, consents=everything)

    [missing] = refusal.value.details["documents"]
    assert (missing["kind"], missing["version"]) == ("terms", 2)


def test_a_repeat_needs_none(buyer, everything):
    first = begin(buyer, consents=everything)

    assert begin(buyer).pk == first.pk
    assert begin(buyer, payment_key=uuid4()).pk == first.pk  # another tab


def test_many_tabs_record_them_once(buyer, everything):
    keys = [uuid4() for _ in range(6)]

    def begun(key):
        try:
            return begin(buyer, payment_key=key, consents=everything).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(len(keys)) as threads:
        assert len(set(threads.map(begun, keys))) == 1
    assert Consent.objects.count() == 3


def test_they_cost_no_round_trip(buyer, everything, now, tmp_path):
    begin(buyer, consents=everything)  # prepares the statement
    other = type(buyer)(buyer.event, buyer.fan, now, first=2)

    with traced(tmp_path) as wire:
        begin(other, consents=everything)

    assert wire.round_trips == 1
    assert ("third_party", other.code) in given(other)


# -- at the edges ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("paying_site")
def test_the_api_says_what_is_missing(buyer, everything, documents):
    client = client_of(buyer.fan)

    refused = start(client, buyer)
    assert (refused.status_code, refused.json()["code"]) == (409, "consent_missing")
    named = {each["id"] for each in refused.json()["details"]["documents"]}
    assert named == set(everything)

    assert start(client, buyer, consents=sorted(named)).status_code == 201
    assert len(given(buyer)) == 3


def test_the_page_asks_and_records(buyer, everything):
    client = client_of(buyer.fan)
    address = f"/orders/{buyer.code}/pay/"
    page = client.get(address)
    shown = page.content.decode()
    form = page.context["form"] | {"agreed": "1"}
    for pk in everything:
        assert f'name="consents" value="{pk}"' in shown
    assert buyer.event.organiser.name in shown

    refused = client.post(address, form)
    assert refused.status_code == 400
    assert "agree to everything that is required" in refused.content.decode()
    assert client.post(address, form | {"consents": ["nonsense", "9" * 30]}).status_code == 400

    assert client.post(address, form | {"consents": everything}).status_code == 303
    assert len(given(buyer)) == 3
