"""The first page of the demo says what can be tried; a real site does not."""

import pytest
from django.test import Client

from tests.making import make_user
from ticketing.development.log_ins import DEMO_LOGINS, PASSWORD

pytestmark = pytest.mark.django_db


def banner(client: Client) -> str:
    page = client.get("/", headers={"Accept-Language": "en"}).content.decode()
    return page.partition("data-demo>")[2].partition("</aside>")[0]


def test_the_demo_names_its_log_ins_and_pages(client):
    text = banner(client)

    assert all(email in text for email, _, _ in DEMO_LOGINS)
    assert PASSWORD in text
    assert all(address in text for address in ('"/admin/console/"', '"/dev/mails/"'))


def test_everybody_gets_the_same(client):
    client.force_login(make_user())

    assert banner(client) == banner(Client())


def test_a_real_site_has_no_banner(client, settings):
    settings.DEVELOPMENT = False

    assert banner(client) == ""
