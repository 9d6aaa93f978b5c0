"""Cells of CSV files."""

import pytest

from ticketing.core.spreadsheets import without_formula


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_no_cell_is_run_as_a_formula(text):
    assert without_formula(text) == f"'{text}"
    assert without_formula(-1) == -1
