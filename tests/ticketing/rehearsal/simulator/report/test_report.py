"""The report: stable keys as JSON, complete and safe as a page."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from django.utils import translation

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import with_records, with_setting
from ticketing.rehearsal.report_html.page import as_html
from ticketing.rehearsal.simulator.history import Evidence, Record
from ticketing.rehearsal.simulator.judge import verdicts
from ticketing.rehearsal.simulator.result import judge

HOSTILE = "</style><script>alert('x')</script>"


def page_of(evidence):
    return as_html(judge(evidence))


def json_of(evidence):
    return judge(evidence).report


@pytest.fixture(scope="module")
def page(sale):
    with translation.override("en"):
        return page_of(sale)


class Tags(HTMLParser):
    """Every element and attribute, and whether all that was opened is closed."""

    VOID = frozenset({"meta", "line", "rect", "circle", "polyline", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.wrong = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def tags_of(page):
    tags = Tags()
    tags.feed(page)
    return tags


def test_the_page_is_whole_and_needs_nothing_else(page):
    tags = tags_of(page)
    names = {tag for tag, _ in tags.seen}
    attributes = {name for _, attrs in tags.seen for name in attrs}

    assert (tags.open, tags.wrong) == ([], [])
    assert not names & {"script", "link", "img", "iframe", "object", "form"}
    assert not attributes & {"src", "href", "style"}
    assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in page
    assert "@import" not in page


def test_the_page_tells_every_verdict_in_words(page, sale):
    for verdict in verdicts(sale):
        assert str(verdict.title).replace("'", "&#x27;") in page
    assert page.count(" holds</p>") == len(verdicts(sale))
    assert f"All {len(verdicts(sale))} promises were kept." in page


def test_the_page_draws_everything_with_a_table_beside(page):
    charts = set(re.findall(r'id="chart-(\w+)"', page))

    assert charts == {
        *("line", "admissions", "inside", "waits", "sold", "errors"),
        *("latency_queue", "latency_holds", "latency_payment"),
    }
    assert page.count("As a table") == len(charts)
    assert page.count('role="img" aria-label="') == len(charts)


def test_the_page_marks_and_explains_what_was_broken(page):
    assert page.count('<text x="') >= 2 * 9
    assert "A web process was killed" in page
    assert "Clocks were put wrong, and right again" in page


def test_the_page_marks_and_explains_a_pause(page, sale):
    (pause,) = json_of(sale)["pauses"]

    assert page.count(">‖</text>") == page.count("<figure")
    assert "8.0 s from 0:27 on." in page
    assert pause["ended"] - pause["began"] == pytest.approx(8, abs=0.1)


def test_a_violation_is_told_first_of_all(sale):
    with translation.override("en"):
        page = page_of(replace(sale, left_behind={"redis": 3}))

    assert "1 promise was not kept." in page
    assert "After the clean-up 3 of redis are left." in page
    assert page.count("does not hold</p>") == 1


def test_what_was_not_rehearsed_is_grey_and_not_a_failure(calm_sale):
    quiet = replace(calm_sale, left_behind={})
    with translation.override("en"):
        page = page_of(quiet)

    assert judge(quiet).ok
    assert "1 was not rehearsed." in page
    assert page.count("not rehearsed</p>") == 1


def test_everything_is_escaped(sale):
    title, at = {"ko": HOSTILE, "en": HOSTILE}, sale.records[-1].ended
    trick = Record(7, "forge", at, at, data={"what": HOSTILE})
    end = Record(7, "end", at, at, data={"state": HOSTILE})
    arrived = Record(8, "arrive", at, at, data={"person": 5_008, "persona": HOSTILE})
    fault = Record(-1, "fault", at, at, data={"fault": HOSTILE, "description": HOSTILE})
    hostile = with_records(
        with_setting(sale, title=title, profile=HOSTILE, code=HOSTILE), trick, end, arrived, fault
    )

    page = page_of(replace(hostile, left_behind={HOSTILE: 1}))

    assert "<script" not in page
    assert page.count("</style>") == 1
    assert page.count("&lt;script&gt;") >= 6


def test_the_page_speaks_the_language_that_is_on(sale):
    with translation.override("ko"):
        page = page_of(sale)

    assert '<html lang="ko">' in page
    assert "<h1>공연</h1>" in page


def test_nothing_at_all_is_a_report_too():
    empty = Evidence({"knobs": {}}, [], [], {}, {})
    with translation.override("en"):
        page = page_of(empty)

    assert "Nothing could be judged." in page
    assert not json_of(empty)["ok"]
    assert tags_of(page).wrong == []


def test_the_json_has_the_keys_that_are_documented(sale):
    body = json.loads(json.dumps(json_of(sale)))

    assert list(body) == [
        *("report", "ok", "settings", "machine", "seconds", "counts", "shares", "verdicts"),
        *("limits", "people", "faults", "pauses", "series"),
    ]
    assert list(body["verdicts"][0]) == [
        *("name", "title", "holds", "checked", "found", "counterexample", "detail")
    ]
    assert list(body["limits"]["kinds"]) == ["joins", "connections", "polls", "holds", "sales"]
    assert body["ok"]
    assert body["counts"]["people"] == 60


def test_the_series_are_what_happened(sale):
    body = json_of(sale)
    last_sold = body["series"]["sold_percent"][-1][1]
    highest = max(value for _, value in body["series"]["inside"]["called"])

    assert last_sold == pytest.approx(100 * len(sale.facts["sold"]) / 120)
    assert 0 < highest <= 12
    assert sum(sum(ends.values()) for ends in body["people"].values()) == 60


def test_a_violation_makes_the_json_not_ok(sale):
    body = json_of(replace(sale, left_behind={"redis": 1}))

    assert not body["ok"]
    assert [one["name"] for one in body["verdicts"] if one["holds"] is False] == ["left_behind"]
