"""The examples of the handbook are files that can be imported."""

import re

import pytest
from django.conf import settings

from ticketing.events.plans.csv_file import COLUMNS
from ticketing.events.plans.files import read_plan

HANDBOOK = (settings.BASE_DIR / "docs" / "seat-plans.md").read_text()
EXAMPLES = re.findall(r"```(csv|json|svg)\n(.*?)```", HANDBOOK, re.DOTALL)


@pytest.mark.parametrize(("kind", "text"), EXAMPLES)
def test_an_example_is_a_plan(kind, text):
    assert read_plan(f"plan.{kind}", text.encode()).seats >= 4


def test_every_format_has_an_example():
    assert {kind for kind, _ in EXAMPLES} == {"csv", "json", "svg"}


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_is_explained(column):
    assert f"`{column}`" in HANDBOOK
