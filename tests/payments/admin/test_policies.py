"""The form of cancellation terms: lines in place of JSON, and what makes no sense is refused."""

import pytest

from payments.models import RefundPolicy
from tests.payments.admin.test_payments import desk_of

pytestmark = pytest.mark.django_db
ADD = "/admin/payments/refundpolicy/add/"


@pytest.fixture
def desk(operator):
    return desk_of(operator)


def sent(event, *lines, **more):
    """As a browser sends the form: three numbers a line, all lines of the table."""
    numbers = [number for line in lines for number in (*line, "")[:3]]
    tiers = {f"tiers_{at}": number for at, number in enumerate(numbers + [""] * 18) if at < 18}
    days = {"free_days": 7, "free_hours": 24, "near_days": 3, "on_the_day": ""}
    return {"event": event.pk} | days | tiers | more


def test_lines_become_terms(desk, event):
    desk.post(ADD, sent(event, (10, 10, 4_000), (7, 10), (1, 30), on_the_day=90))

    policy = RefundPolicy.objects.get(event=event)
    assert policy.tiers == [[10, 10, 4_000], [7, 10], [1, 30], [0, 90]]
    page = desk.get(f"/admin/payments/refundpolicy/{policy.pk}/change/").content.decode()
    assert 'name="tiers_2" value="4000"' in page
    assert 'name="on_the_day" value="90"' in page


def test_an_empty_day_means_that_it_can_not_be_cancelled_then(desk, event):
    desk.post(ADD, sent(event, (1, 30)))

    assert RefundPolicy.objects.get(event=event).tiers == [[1, 30]]


@pytest.mark.parametrize(
    ("lines", "day", "words"),
    [
        ([(3, 20), (10, 10)], "", "from far to near"),
        ([(3, 20), (3, 30)], "", "from far to near"),
        ([(10, 20), (3, 10)], "", "become smaller"),
        ([(10, 30)], "10", "become smaller"),
        ([(10, 101)], "", "percent"),
        ([("", 10)], "", "needs days and percent"),
        ([(10, "", 4_000)], "", "needs days and percent"),
        ([(-1, 10)], "", "greater than or equal to 0"),
    ],
)
def test_terms_that_make_no_sense_are_refused_on_the_form(desk, event, lines, day, words):
    answer = desk.post(ADD, sent(event, *lines, on_the_day=day))

    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert not RefundPolicy.objects.exists()


def test_every_field_of_a_line_has_a_label(desk):
    page = desk.get(ADD).content.decode()

    assert page.count('aria-label="') >= 18
    assert "Percent kept, line 1" in page
    assert 'value="4000"' in page  # the usual terms
