"""Verifying who one is, on the way into a line and back, on a phone."""

import pytest
from playwright.sync_api import Page

from tests.browser.quality import SMALL_CONTROLS, violations
from tests.browser.test_purchase import heading, sandbox_gateway
from tests.making import make_event, make_user
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

__all__ = ["sandbox_gateway"]


@pytest.fixture
def ignored_errors() -> tuple[str, ...]:
    return ("Failed to load resource",)  # the refusals that lead to the page


@pytest.fixture
def demanding(site, now):
    event = make_event(now, identity_level="identity", minimum_age=19)
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    queue.move_queue(event_id=event.pk, to="paused", by=None, now=now)
    return event


def type_person(page: Page) -> None:
    page.get_by_label("Name").fill("김안나")
    page.get_by_label("Date of birth").fill("1990-02-28")
    page.get_by_label("Phone").fill("010-1234-5678")


def test_verifying_leads_into_the_line_and_only_one_account_of_a_person(
    open_page, demanding, fan, sandbox_gateway
):
    page = open_page(f"/events/{demanding.pk}/queue/", fan)
    page.get_by_role("button", name="Join the line").click()
    heading(page, "Verify your identity")
    assert violations(page) == []
    assert page.evaluate(SMALL_CONTROLS) == []
    page.get_by_role("link", name="Verify now").click()
    type_person(page)
    assert violations(page) == []
    page.get_by_role("button", name="Confirm", exact=True).click()
    page.get_by_role("button", name="Join the line").click()
    heading(page, "You are in line")

    other = open_page(f"/verify/?event={demanding.pk}", make_user(password=None))
    other.get_by_role("link", name="Verify now").click()
    type_person(other)
    other.get_by_role("button", name="Confirm", exact=True).click()
    heading(other, "You have verified another account already.")
