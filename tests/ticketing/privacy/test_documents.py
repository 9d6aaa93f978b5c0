"""Legal documents: public pages in both languages, versions, and the admin that makes them."""

import re
from datetime import timedelta
from threading import Barrier

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from tests.race import together
from tests.ticketing.privacy.conftest import new_version
from tests.waiting import PATIENCE
from ticketing.accounts.models import LegalDocument
from ticketing.accounts.services import documents as texts


@pytest.mark.parametrize(
    ("language", "title", "words"),
    [("ko", "이용약관", "제3조 (대기열과 예매)"), ("en", "Terms of use", "3. Waiting and booking")],
)
def test_everybody_reads_them_in_their_language(documents, language, title, words):
    page = Client(headers={"accept-language": language}).get("/legal/terms/").content.decode()

    assert f"<h1>{title}</h1>" in page
    assert f"<h2>{words}</h2>" in page


def test_messengers_get_a_picture_and_search_engines_the_current_version(documents, browser, now):
    new_version("terms", now)

    current = browser.get("/legal/terms/").content.decode()
    earlier = browser.get("/legal/terms/1/").content.decode()

    for page, path in ((current, "/legal/terms/"), (earlier, "/legal/terms/1/")):
        assert re.search(r'<meta property="og:image" content="http://.*/share.*\.png">', page)
        assert f'<meta property="og:url" content="{settings.SITE_URL}{path}">' in page
    assert f'<link rel="canonical" href="{settings.SITE_URL}/legal/terms/">' in current
    assert ("noindex" in earlier, "noindex" in current) == (True, False)


def test_the_footer_of_every_page_has_the_seller_and_the_links(documents, browser):
    page = browser.get("/").content.decode()

    assert "Business registration: 000-00-00000" in page
    for kind in ("terms", "privacy", "seller", "help"):
        assert f'href="/legal/{kind}/"' in page


def test_a_site_without_documents_has_a_footer(db, browser):
    assert browser.get("/").status_code == 200
    assert browser.get("/legal/terms/").status_code == 404
    assert browser.get("/legal/anything/").status_code == 404


def test_a_version_is_valid_from_its_time_on(documents, browser, now, monkeypatch):
    later = now + timedelta(days=7)
    new_version("terms", later)
    assert "Version 1" in browser.get("/legal/terms/").content.decode()
    assert browser.get("/legal/terms/2/").status_code == 404

    LegalDocument.objects.filter(version=2).update(published_at=now)

    assert "Version 2" in browser.get("/legal/terms/").content.decode()
    assert "earlier version" in browser.get("/legal/terms/1/").content.decode()


def test_what_is_written_in_them_is_shown_as_text(documents, browser):
    documents["help"].body_en = "<script>alert(1)</script>"
    documents["help"].save()

    page = browser.get("/legal/help/").content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_programs_list_them(documents, client):
    found = client.get("/api/v1/documents/", headers={"accept-language": "en"}).json()

    terms = next(each for each in found if each["kind"] == "terms")
    assert terms["id"] == documents["terms"].pk
    assert (terms["version"], terms["url"]) == (1, "/legal/terms/1/")


# -- the admin ------------------------------------------------------------------------------------

ADD = "/admin/accounts/legaldocument/add/"


@pytest.fixture
def desk(operator) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def typed(now, **more):
    day, time = f"{now:%Y-%m-%d}", f"{now:%H:%M:%S}"
    texts = {"title_ko": "약관", "title_en": "Terms", "body_ko": "하나", "body_en": "one"}
    return {"kind": "terms", "published_at_0": day, "published_at_1": time, **texts} | more


def test_a_new_version_begins_with_the_last_one(documents, desk, db):
    LegalDocument.objects.filter(kind="terms").update(title_en="Our very own terms")

    assert "Our very own terms" in desk.get(f"{ADD}?kind=terms").content.decode()


def test_a_new_site_begins_with_default_texts(desk, db):
    assert "개인정보 처리방침" in desk.get(f"{ADD}?kind=privacy").content.decode()


def test_versions_are_counted_by_kind(documents, desk, now):
    assert desk.post(ADD, typed(now)).status_code == 302

    assert list(LegalDocument.objects.filter(kind="terms").values_list("version", flat=True)) == [
        2,
        1,
    ]


@pytest.fixture
def two_at_once(transactional_db, now, monkeypatch):
    """Two versions, whose number was chosen before either of them was written."""
    choose, both_have_chosen = texts.next_version, Barrier(2)

    def slowly(kind):
        number = choose(kind)
        both_have_chosen.wait(PATIENCE)
        return number

    monkeypatch.setattr(texts, "next_version", slowly)
    return lambda: together(2, lambda _: new_version("terms", now))


def test_of_two_versions_at_one_moment_one_is_kept(two_at_once):
    answers = two_at_once()

    assert sorted(type(each).__name__ for each in answers) == ["IntegrityError", "LegalDocument"]


def test_control_without_the_constraint_both_are(two_at_once):
    with connection.cursor() as cursor:
        cursor.execute(
            "ALTER TABLE accounts_legaldocument DROP CONSTRAINT one_document_per_version"
        )
        try:
            assert [each.version for each in two_at_once()] == [1, 1]
        finally:
            cursor.execute("DELETE FROM accounts_legaldocument")
            cursor.execute(
                "ALTER TABLE accounts_legaldocument ADD CONSTRAINT one_document_per_version"
                " UNIQUE (kind, version)"
            )


def test_what_is_published_is_never_changed(documents, desk, now):
    published, draft = documents["terms"], new_version("terms", now + timedelta(days=7))
    for document in (published, draft):
        desk.post(f"/admin/accounts/legaldocument/{document.pk}/change/", typed(now))

    assert LegalDocument.objects.get(pk=published.pk).title_en == published.title_en
    assert LegalDocument.objects.get(pk=draft.pk).title_en == "Terms"
    assert desk.post(f"/admin/accounts/legaldocument/{draft.pk}/delete/").status_code == 403
