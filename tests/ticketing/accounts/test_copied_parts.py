"""Parts of pages that are rendered once for everybody."""

import pytest
from django.template import Context, Template
from django.utils import translation

from payments.selectors import FeeRate
from ticketing.accounts.services.documents import add_default_documents
from ticketing.core.ttl_cache import clear_ttl_caches

LEGAL = '{% load copies %}{% include_copy "partials/legal.html" %}'


@pytest.fixture(autouse=True)
def documents(db, now):
    add_default_documents(now=now)
    clear_ttl_caches()
    yield
    clear_ttl_caches()


def test_a_part_is_rendered_once_and_knows_nothing_of_the_page(django_assert_num_queries):
    first = Template(LEGAL).render(Context({"caller": "Ann", "legal": {"terms": "of Ann"}}))

    with django_assert_num_queries(0):
        assert Template(LEGAL).render(Context()) == first
    assert "/terms/" in first
    assert "Ann" not in first


def test_every_language_has_its_own():
    texts = {}
    for language in ("ko", "en"):
        with translation.override(language):
            texts[language] = Template(LEGAL).render(Context())

    assert "이용약관" in texts["ko"]
    assert "이용약관" not in texts["en"]


def test_values_have_copies_of_their_own():
    part = Template('{% load copies %}{% include_copy "payments/_fee_rate.html" rate=rate %}')

    with translation.override("en"):
        texts = [part.render(Context({"rate": FeeRate(it)})) for it in (10, 20, 10)]

    assert texts == ["10% fee", "20% fee", "10% fee"]
