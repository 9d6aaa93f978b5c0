"""A person's data as files, for them alone, for a few days."""

import json
from datetime import timedelta

import pytest
from django.apps import apps
from django.core import mail

from tests.making import seat_ids
from tests.reservations.acting import hold
from tests.ticketing.accounts.conftest import logged_in
from ticketing.accounts import services as accounts
from ticketing.accounts.models import DataExport, Identity, Passkey
from ticketing.privacy import selectors, services
from ticketing.privacy.export_pdf import render_pdf
from waiting_queue.models import PlaceSignals, QueueBypass, SaleQueue

PAGE = "/accounts/data/"


@pytest.fixture
def export(ann, anns_browser, worker, django_capture_on_commit_callbacks) -> DataExport:
    with django_capture_on_commit_callbacks(execute=True):
        assert anns_browser.post(PAGE).status_code == 302
    return DataExport.objects.get()


def test_it_has_everything_and_no_secret(event, documents, ann, anns_browser, worker, now):
    ids = {documents["terms"].pk, documents["privacy"].pk}
    accounts.give_consents(user_id=ann.pk, agreed=ids, now=now)
    code = hold(event, ann, now, *seat_ids(event)[:2]).reservation.code
    _, secret = accounts.create_token(user=ann, name="my script", now=now)
    export = services.ask_for_export(user=ann, language="en", origin="", now=now)

    services.make_export(export_id=export.pk, now=now)

    raw = anns_browser.get(f"{PAGE}{export.code}.json").content.decode()
    data = json.loads(raw)
    assert data["account"][0]["email"] == ann.email
    assert data["reservations"][0]["code"] == code
    assert {each["document__kind"] for each in data["consents"]} == {"terms", "privacy"}
    assert data["api_tokens"][0]["name"] == "my script"
    for hidden in (secret, ann.password, anns_browser.session.session_key):
        assert hidden not in raw


# Tables with a column that names a person, by what the export calls them. None: secrets, the files
# themselves, counters of a moment, and what the security log says, too.
EXPORTED = {
    "accounts.ApiToken": "api_tokens",
    "accounts.Consent": "consents",
    "accounts.DataExport": None,
    "accounts.Identity": "identity",
    "accounts.IdentityChange": None,
    "accounts.Passkey": "passkeys",
    "accounts.SecurityEvent": "security_log",
    "accounts.Session": "sessions",
    "admin.LogEntry": None,
    "otp_static.StaticDevice": None,
    "otp_totp.TOTPDevice": None,
    "payments.Payment": "payments",
    "queue.BlockAppeal": "appeals",
    "queue.LaneKey": "lanes",
    "queue.PlaceSignals": "signals",
    "queue.QueueBypass": "bypasses",
    "queue.QueueJournal": "queue",
    "reservations.HoldRequest": "requests_for_seats",
    "reservations.PassMove": None,
    "reservations.Reservation": "reservations",
    "reservations.StandbyEntry": "standby",
    "reservations.Ticket": "tickets",
}
PERSON = {"user", "fan", "person", "holder"}


def test_every_table_that_names_a_person_is_in_it(ann):
    named = {
        model._meta.label
        for model in apps.get_models()
        if PERSON & {field.name for field in model._meta.concrete_fields}
    }

    assert named == set(EXPORTED)
    assert set(filter(None, EXPORTED.values())) <= selectors.personal_data(ann).keys()


def test_who_one_is_and_where_one_joined_from_are_in_it(event, ann, now):
    queue = SaleQueue.objects.create(event=event, opens_at=now)
    lane = queue.lanes.create(number=1, name_ko="가", name_en="A")
    lane.keys.create(digest="secret", person=ann, used_at=now)
    Identity.objects.create(user=ann, digest="secret", birth_year=1990, verified_at=now)
    Passkey.objects.create(
        user=ann, name="my phone", credential_id="secret", public_key=b"secret", created_at=now
    )
    QueueBypass.objects.create(queue=queue, person=ann, reason="press", at=now)
    PlaceSignals.objects.create(event=event, person=ann.pk, at=now, address_range="192.0.2.0/24")

    data = selectors.personal_data(ann)

    assert data["identity"][0]["birth_year"] == 1990
    assert data["passkeys"][0]["name"] == "my phone"
    assert data["bypasses"][0]["reason"] == "press"
    assert data["signals"][0]["address_range"] == "192.0.2.0/24"
    assert data["lanes"][0]["lane__name_en"] == "A"
    assert "secret" not in str(data)
    assert render_pdf(data, whose=ann.email).startswith(b"%PDF-")


def test_the_link_is_mailed_and_both_files_are_there(export, ann, anns_browser):
    assert mail.outbox[-1].to == [ann.email]
    assert PAGE in mail.outbox[-1].body
    pdf = anns_browser.get(f"{PAGE}{export.code}.pdf")

    assert pdf.content.startswith(b"%PDF-")
    assert pdf.headers["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert str(export.code) in anns_browser.get(PAGE).content.decode()


def test_nobody_else_finds_it(export, ben, browser):
    address = f"{PAGE}{export.code}.json"

    assert logged_in(ben).get(address).status_code == 404
    assert "/log-in/" in browser.get(address).url


def test_it_ends(export, anns_browser, now):
    DataExport.objects.update(expires_at=now - timedelta(seconds=1))

    assert anns_browser.get(f"{PAGE}{export.code}.json").status_code == 404
    assert anns_browser.get(f"{PAGE}{export.code}.exe").status_code == 404


def test_a_repeated_task_sends_no_second_mail(export, now):
    services.make_export(export_id=export.pk, now=now)

    assert len(mail.outbox) == 1


def test_three_at_a_time(ann, anns_browser):
    answers = [anns_browser.post(PAGE).status_code for _ in range(4)]

    assert answers == [302, 302, 302, 429]


def test_a_session_that_was_left_open_can_not_ask(ann, anns_browser, now):
    session = anns_browser.session
    session["fresh_at"] = (now - timedelta(hours=1)).timestamp()
    session.save()

    assert "/accounts/identity/" in anns_browser.post(PAGE).url
    assert not DataExport.objects.exists()
