"""Django's own pages of the admin on an operator's laptop."""

import pytest
from playwright.sync_api import expect

from tests.browser.quality import violations
from tests.making import make_event, make_plan
from ticketing.core import clock
from ticketing.rehearsal.models import Rehearsal

CUT_OFF = """() => {
    const table = document.getElementById("result_list");
    return table.scrollWidth - table.closest(".results").clientWidth;
}"""


@pytest.fixture
def rehearsal(site, operator) -> Rehearsal:
    """With the longest words of each column."""
    now = clock.now()
    return Rehearsal.objects.create(
        source=make_event(now, title_en="LUNA World Tour: Seoul Nights, the encore"),
        copy=1,
        options={"fans": 10_000, "minutes": 60, "profile": "rush", "faults": "all"},
        state=Rehearsal.State.FAILED,
        started_by=operator,
        started_at=now,
        heard_at=now,
        cleaned_at=now,
    )


def test_every_column_of_the_list_of_rehearsals_is_in_sight(operator_page, rehearsal):
    operator_page.set_viewport_size({"width": 1440, "height": 900})
    operator_page.goto("/admin/rehearsal/rehearsal/")

    assert operator_page.locator("#result_list tbody tr").count() == 1
    assert operator_page.evaluate(CUT_OFF) <= 0
    assert violations(operator_page) == []


def test_axe_finds_nothing_in_the_form_of_a_group(operator_page):
    operator_page.goto("/admin/auth/group/add/")
    operator_page.locator(".selector-filter input").first.wait_for()

    assert violations(operator_page) == []


def test_a_drawing_that_is_saved_by_a_double_click_is_saved_once(operator_page, site):
    plan = make_plan(rows=1)
    answers = []
    operator_page.on("response", lambda it: answers.append(it.request.method))
    operator_page.goto(f"/admin/ticketing/seatplan/{plan.pk}/edit/")
    operator_page.locator("[data-drawing] [data-code]").first.wait_for()
    operator_page.get_by_role("button", name="Turn right").click()

    operator_page.get_by_role("button", name="Save", exact=True).dblclick()

    expect(operator_page.locator(".messagelist")).to_contain_text("The plan was stored.")
    assert answers.count("POST") == 1
