"""Money is right at every read, not only in the end."""

from dataclasses import replace

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import failing, only, with_record


@pytest.fixture
def last_read(calm_sale):
    """The last read of the books, by when several have paid and some have cancelled."""
    return [record for record in calm_sale.records if record.action == "books"][-1]


@pytest.fixture
def altered(calm_sale, last_read):
    """The sale with other sums in the last read."""

    def alter(state, **changes):
        rows = [
            row | {name: row[name] + by for name, by in changes.items()}
            if row["state"] == state
            else row
            for row in last_read.data["payments"]
        ]
        return with_record(calm_sale, last_read, data=last_read.data | {"payments": rows})

    return alter


def test_the_honest_sale_has_what_could_go_wrong(last_read):
    assert {"succeeded", "partially_refunded"} <= {
        row["state"] for row in last_read.data["payments"]
    }


def test_a_refund_that_was_made_twice(altered, last_read):
    row = next(row for row in last_read.data["payments"] if row["state"] == "partially_refunded")

    told = only(altered("partially_refunded", returned=row["returned"]), "money")

    assert "partially_refunded we keep" in told
    assert f"the gateway keeps {row['charged'] - 2 * row['returned']:,}" in told


def test_a_charge_that_the_books_do_not_have(altered):
    assert "succeeded we keep" in only(altered("succeeded", charged=500), "money")


def test_a_charge_that_is_missing_at_the_gateway(altered):
    assert "succeeded we keep" in only(altered("succeeded", charged=-500), "money")


@pytest.mark.parametrize("by", [-110_000, 50_000_000])
def test_a_read_in_between_that_disagrees_with_what_people_were_told(altered, by):
    """Our books and the gateway's agree, and both are wrong."""
    assert "by what people were told" in only(altered("succeeded", amount=by, charged=by), "money")


def test_payments_under_way_may_differ(calm_sale, last_read):
    rows = [*last_read.data["payments"], {
        "state": "charging", "count": 1, "amount": 100, "refunded": 0, "charged": 100,
        "returned": 0,
    }]  # fmt: skip
    changed = with_record(calm_sale, last_read, data=last_read.data | {"payments": rows})

    assert failing(changed) == {}


def test_nobody_gives_back_more_than_was_charged_not_even_on_the_way(calm_sale, last_read):
    rows = [*last_read.data["payments"], {
        "state": "refunding", "count": 1, "amount": 100, "refunded": 0, "charged": 100,
        "returned": 200,
    }]  # fmt: skip
    changed = with_record(calm_sale, last_read, data=last_read.data | {"payments": rows})

    assert "refunding" in only(changed, "money")


def test_without_the_gateways_ledger_the_books_are_still_compared_with_what_was_told(
    calm_sale, last_read
):
    def hide(record):
        rows = [row | {"charged": None, "returned": None} for row in record.data["payments"]]
        return replace(record, data=record.data | {"payments": rows})

    records = [hide(one) if one.action == "books" else one for one in calm_sale.records]
    hidden = replace(calm_sale, records=records)

    assert failing(hidden) == {}
    read = next(one for one in reversed(records) if one.action == "books")
    wrong = with_record(hidden, read, data=read.data | {"payments": []})
    assert "the books say 0" in only(wrong, "money")
