"""What search engines and messengers read of the public pages."""

import json
import re

import pytest
from django.test import Client

from tests.making import make_event
from waiting_queue.models import SaleQueue

CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)">')
JSON_LD = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


@pytest.fixture
def site(settings, db) -> str:
    settings.SITE_URL = "https://tickets.example.com"
    return settings.SITE_URL


def page(path: str) -> str:
    return Client().get(path, headers={"accept-language": "en"}).content.decode()


@pytest.mark.parametrize("path", ["", "seats/", "queue/", "draw/"])
def test_the_pages_of_an_event_lead_to_the_event(site, event, path):
    SaleQueue.objects.create(event=event, opens_at=event.on_sale_at)

    text = page(f"/events/{event.pk}/{path}")

    assert CANONICAL.findall(text) == [f"{site}/events/{event.pk}/"]
    assert re.search(r'<meta name="description" content="[^"]+">', text)
    assert "noindex" not in text


def test_a_draft_is_not_for_search_engines(site, client, operator, now):
    draft = make_event(now, state="draft")
    client.force_login(operator)

    text = client.get(f"/events/{draft.pk}/").content.decode()

    assert "noindex" in text
    assert not JSON_LD.search(text)


def test_an_event_is_described_by_schema_org(site, now):
    event = make_event(now, title_en="</script><b>", description_en="A & B")

    (text,) = JSON_LD.findall(page(f"/events/{event.pk}/"))
    told = json.loads(text)

    assert (told["@type"], told["name"], told["description"]) == ("Event", "</script><b>", "A & B")
    assert told["url"] == f"{site}/events/{event.pk}/"
    assert told["image"][0].startswith(f"{site}/static/img/share.")
    assert {offer["priceCurrency"] for offer in told["offers"]} == {"KRW"}
    assert told["offers"][0]["availability"] == "https://schema.org/InStock"


def test_the_facts_of_an_event_are_on_its_page(event):
    event.running_minutes, event.cast_en, event.notices_en = 110, "Ann\nBob", "Bring <ID>."
    event.identity_level, event.minimum_age = "identity", 19
    event.save()
    event.plan.venue.map_url = "https://maps.example.com/1"
    event.plan.venue.save()

    text = page(f"/events/{event.pk}/")

    assert "110 minutes" in text
    assert "<dd>19 and over</dd>" in text
    assert "Ann<br>Bob" in text
    assert "Bring &lt;ID&gt;." in text
    assert 'href="https://maps.example.com/1" rel="noopener noreferrer"' in text


def test_an_age_limit_that_nobody_verifies_is_on_the_page_too(event):
    event.admission_age = 7
    event.save()

    text = page(f"/events/{event.pk}/")

    assert "<dd>7 and over</dd>" in text
    assert "verify your identity" not in text


def test_the_sitemap_lists_public_events_under_the_sites_name(site, event, now):
    draft = make_event(now, state="draft")

    text = page("/sitemap.xml")

    assert f"<loc>{site}/</loc>" in text
    assert f"<loc>{site}/events/{event.pk}/</loc>" in text
    assert f"/events/{draft.pk}/" not in text


def test_private_pages_are_not_crawled(site):
    text = page("/robots.txt")

    assert "Disallow: /orders/\n" in text
    assert f"Sitemap: {site}/sitemap.xml\n" in text
