"""The queue part of a report, from the journal alone."""

import time
import tracemalloc
from datetime import timedelta

import pytest

from tests.ticketing.console.report.journal import write_crowd
from ticketing.console.selectors.report import journal as journal_report
from ticketing.console.selectors.report import sale_report
from ticketing.console.views.reports.report_csv import render_csv
from ticketing.console.views.reports.report_pdf import render_pdf

pytestmark = pytest.mark.django_db


def test_the_funnel_counts_people_and_no_shows(queue, journal):
    journal.note(0, "lobby", 0, person=1_001).note(10, "join", 1, 2, 3, 4)
    journal.note(20, "ready", 1, 2, 3).note(25, "admit", 1).note(80, "expired", 2)
    journal.note(81, "left", 3).note(90, "join", 5, person=1_002)

    found = journal_report.funnel_counts(queue.pk)

    assert found == journal_report.FunnelCounts(lobby=1, joined=4, called=3, admitted=1, no_shows=2)


def test_a_person_admitted_at_once_counts_as_called(queue, journal):
    journal.note(5, "join", 1).note(5, "admit", 1)

    assert journal_report.funnel_counts(queue.pk).called == 1
    assert journal_report.durations(queue.pk)["wait"].longest == 0


def test_percentiles_are_those_of_the_waiting_times(queue, journal):
    journal.note(0, "join", *range(1, 102))
    for number in range(1, 102):
        journal.note(number - 1, "ready", number)

    wait = journal_report.durations(queue.pk)["wait"]

    assert (wait.count, wait.average, wait.longest) == (101, 50, 100)
    assert (wait.p50, wait.p90, wait.p95, wait.p99) == (50, 90, 95, 99)


def test_answers_and_stays_are_timed_and_missing_ones_are_none(queue, journal):
    journal.note(0, "join", 1).note(10, "ready", 1).note(14, "admit", 1)

    durations = journal_report.durations(queue.pk)

    assert durations["answer"].p50 == 4
    assert durations["stay"] is None


def test_outcomes_are_counted_by_the_stage_reached(queue, journal):
    journal.note(0, "join", 1, 2, 3, 4).note(1, "ready", 1, 2).note(2, "admit", 1)
    journal.note(3, "completed", 1).note(4, "expired", 2).note(5, "left", 3)

    found = journal_report.outcomes(queue.pk)

    assert found["inside"]["completed"] == found["called"]["expired"] == 1
    assert (found["waiting"]["left"], found["waiting"][""]) == (1, 1)
    assert sum(sum(counts.values()) for counts in found.values()) == 4


def test_queue_sizes_follow_people_joining_and_leaving(queue, journal):
    journal.start = journal.start.replace(second=0)
    journal.note(1, "join", 1, 2, 3).note(11, "ready", 1).note(12, "admit", 1)
    journal.note(35, "left", 2).note(45, "completed", 1)

    found = journal_report.queue_sizes(queue.pk)

    assert [point[1:] for point in found.points] == [(3, 0), (2, 1), (2, 1), (1, 1), (1, 0)]
    assert found.points[0][0] == journal.start + timedelta(seconds=10)
    assert (found.max_waiting, found.max_inside) == (3, 1)


def test_a_person_admitted_at_once_never_counts_as_waiting(queue, journal):
    journal.note(1, "join", 1).note(1, "admit", 1)

    assert journal_report.queue_sizes(queue.pk).max_waiting == 0


def test_a_sale_of_a_month_has_a_few_hundred_points(queue, journal):
    journal.note(0, "join", 1).note(30 * 86_400, "left", 1)

    assert 50 < len(journal_report.queue_sizes(queue.pk).points) <= 202


def test_a_report_without_any_visitor_is_empty(queue, now):
    report = sale_report(queue, with_money=True, now=now)

    assert (report.queue_sizes.points, report.durations["wait"]) == ([], None)
    assert report.funnel[0] == ("joined", 0)
    assert render_pdf(report).startswith(b"%PDF")
    assert "funnel" in render_csv(report)


def test_a_report_of_20000_people_takes_seconds_and_little_memory(queue, now):
    people = 20_000
    entries = write_crowd(queue, now - timedelta(hours=1), people)
    assert entries > 50_000

    tracemalloc.start()
    began = time.monotonic()
    report = sale_report(queue, with_money=True, now=now)
    took = time.monotonic() - began
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert report.funnel_counts == journal_report.FunnelCounts(
        0, people, people, people * 9 // 10, people // 10
    )
    assert (report.fairness.calls.turns, report.fairness.calls.inversions) == (people, 0)
    assert report.fairness.entries.inversions > 0
    assert report.queue_sizes.max_waiting == people
    assert took < 15
    assert peak < 8_000_000
