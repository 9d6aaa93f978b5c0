"""The mails of the default run: kept in a folder, read on a page, and only there."""

import re
from datetime import timedelta

import pytest
from django.core.mail import EmailMultiAlternatives
from django.urls import reverse

from tests.making import make_user
from ticketing.accounts import services as accounts
from ticketing.core import clock
from ticketing.development.mailbox import folder
from ticketing.development.management.commands import up

HOSTILE = "<img src=x onerror=alert(1)>"
PAGE = '<!doctype html><html><head><title>x</title></head><body><a href="/">go</a></body></html>'


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.MAIL_FOLDER = tmp_path / "mails"
    settings.EMAIL_BACKEND = "ticketing.development.mailbox.backend.FolderBackend"


def send(subject="Your seats", html=PAGE, to="ann@example.com", file=None):
    mail = EmailMultiAlternatives(subject, f"Hello\n\n{HOSTILE}\nhttp://testserver/x/", to=[to])
    mail.attach_alternative(html, "text/html")
    if file:
        mail.attach(*file)
    mail.send()
    return folder.names()[0]


def read(client, *parts):
    return client.get("/dev/mails/" + "".join(f"{part}/" for part in parts))


def test_an_empty_folder_says_what_to_do(client, db):
    page = client.get("/dev/mails/", headers={"accept-language": "en"}).content.decode()

    assert "No mails yet" in page


def test_mails_are_listed_the_newest_first(client, db):
    send("First")
    send("Second", to="ben@example.com")

    page = read(client).content.decode()

    assert page.index("Second") < page.index("First")
    assert "ben@example.com" in page


def test_a_mail_is_shown_with_its_text_and_its_files(client, db):
    name = send(file=("tickets.pdf", b"%PDF-1.4 x", "application/pdf"))

    page = read(client, name).content.decode()

    assert "tickets.pdf" in page
    assert '<a href="http://testserver/x/"' in page
    assert f'src="/dev/mails/{name}/html/"' in page
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in page


def test_nothing_in_a_mail_becomes_part_of_the_page(client, db):
    name = send(subject=HOSTILE)

    assert HOSTILE not in read(client).content.decode()
    assert HOSTILE not in read(client, name).content.decode()


def test_the_html_is_served_for_a_frame_in_which_nothing_runs(client, db):
    answer = read(client, send(), "html")

    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'self'" in policy
    assert re.search(r"sandbox allow-popups allow-popups-to-escape-sandbox(;|$)", policy)
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert '<base target="_blank">' in answer.content.decode()


def test_a_file_is_a_download_whatever_it_claims_to_be(client, db):
    name = send(file=("x.html", "<script>alert(1)</script>", "text/html"))

    answer = read(client, name, "attachments", 1)

    assert answer["Content-Disposition"] == 'attachment; filename="x.html"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer.content == b"<script>alert(1)</script>"


@pytest.mark.parametrize("parts", [["nothing"], ["..%2Fsecret_key"], ["nothing", "html"]])
def test_what_is_not_there_is_not_found(client, db, parts):
    send()

    assert read(client, *parts).status_code == 404


@pytest.mark.parametrize("number", [0, 2])
def test_a_file_that_is_not_there_is_not_found(client, db, number):
    name = send(file=("a.txt", "a", "text/plain"))

    assert read(client, name, "attachments", number).status_code == 404


def test_nobody_reads_mails_in_production(client, db, settings):
    name = send(file=("a.txt", "a", "text/plain"))
    everything = [[], [name], [name, "html"], [name, "attachments", 1]]
    assert {read(client, *parts).status_code for parts in everything} == {200}

    settings.DEVELOPMENT = False

    assert {read(client, *parts).status_code for parts in everything} == {404}


def test_the_way_there_is_shown_only_in_development(client, db, settings):
    assert "/dev/mails/" in client.get("/").content.decode()

    settings.DEVELOPMENT = False

    assert "/dev/mails/" not in client.get("/").content.decode()


def test_the_runner_prints_where_mails_are():
    assert up.site_options().mails == reverse("mailbox:mails")


def test_mails_about_accounts_are_there_too(client, db, settings):
    make_user(email="ann@example.com", display_name="Ann")

    accounts.mail_password_reset(email="ann@example.com", language="en")

    (name,) = folder.names()
    page = read(client, name).content.decode()
    assert "Set a new password" in page
    found = re.search(rf'href="{re.escape(settings.SITE_URL)}(/accounts/[^"]+)"', page)
    assert client.get(found[1]).status_code == 302  # the link is good
    assert "/accounts/password/reset/" in read(client, name, "html").content.decode()


def test_the_folder_keeps_the_newest_and_only_its_owner_looks_in(monkeypatch, settings):
    monkeypatch.setattr(folder, "MAX_MAILS", 3)
    monkeypatch.setattr(folder, "DELETE_EVERY", 1)
    begin = clock.now()
    sent = [folder.store(b"x", now=begin + timedelta(seconds=n)) for n in range(5)]

    assert folder.names() == sent[:1:-1]
    assert settings.MAIL_FOLDER.stat().st_mode & 0o077 == 0


def test_the_folder_is_not_listed_for_every_mail(monkeypatch):
    listings = []
    real = folder.names
    monkeypatch.setattr(folder, "names", lambda: listings.append(1) or real())

    for _ in range(folder.DELETE_EVERY):
        folder.store(b"x", now=clock.now())

    assert len(listings) == 1


def test_many_mails_have_pages(client, db):
    for n in range(31):
        folder.store(
            f"Subject: no. {n}\nDate: Mon, 16 Nov 2026 12:00:00 +0000\n\nx".encode(),
            now=clock.now(),
        )

    first, second = read(client).content.decode(), client.get("/dev/mails/?page=2").content.decode()

    assert "no. 30" in first
    assert "no. 0<" in second
