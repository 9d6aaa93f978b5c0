"""What a report says about the line, from its journal alone."""

import time
import tracemalloc
from datetime import timedelta

import pytest

from tests.ticketing.console.reporting.journal import write_crowd
from ticketing.console.reporting import csv_of, line, pdf_of, report_of

pytestmark = pytest.mark.django_db


def test_the_funnel_counts_people_and_no_shows_calls(queue, journal):
    journal.note(0, "lobby", 0, person=1_001).note(10, "join", 1, 2, 3, 4)
    journal.note(20, "ready", 1, 2, 3).note(25, "admit", 1).note(80, "expired", 2)
    journal.note(81, "left", 3).note(90, "join", 5, person=1_002)

    found = line.reached(queue.pk)

    assert found == line.Reached(lobby=1, joined=4, called=3, admitted=1, no_shows=2)


def test_who_goes_straight_in_was_called_at_that_moment(queue, journal):
    journal.note(5, "join", 1).note(5, "admit", 1)

    assert line.reached(queue.pk).called == 1
    assert line.spans(queue.pk)["wait"].longest == 0


def test_percentiles_are_those_of_the_waiting_times(queue, journal):
    journal.note(0, "join", *range(1, 102))
    for number in range(1, 102):
        journal.note(number - 1, "ready", number)

    wait = line.spans(queue.pk)["wait"]

    assert (wait.count, wait.average, wait.longest) == (101, 50, 100)
    assert (wait.p50, wait.p90, wait.p95, wait.p99) == (50, 90, 95, 99)


def test_answering_and_staying_are_timed_too_and_what_nobody_did_is_not(queue, journal):
    journal.note(0, "join", 1).note(10, "ready", 1).note(14, "admit", 1)

    spans = line.spans(queue.pk)

    assert spans["answer"].p50 == 4
    assert spans["stay"] is None


def test_endings_are_told_apart_by_how_far_people_had_come(queue, journal):
    journal.note(0, "join", 1, 2, 3, 4).note(1, "ready", 1, 2).note(2, "admit", 1)
    journal.note(3, "completed", 1).note(4, "expired", 2).note(5, "left", 3)

    found = line.endings(queue.pk)

    assert found["inside"]["completed"] == found["called"]["expired"] == 1
    assert (found["waiting"]["left"], found["waiting"][""]) == (1, 1)
    assert sum(sum(counts.values()) for counts in found.values()) == 4


def test_the_line_over_time_grows_and_shrinks_as_people_come_and_go(queue, journal):
    journal.start = journal.start.replace(second=0)
    journal.note(1, "join", 1, 2, 3).note(11, "ready", 1).note(12, "admit", 1)
    journal.note(35, "left", 2).note(45, "completed", 1)

    found = line.course(queue.pk)

    assert [point[1:] for point in found.points] == [(3, 0), (2, 1), (2, 1), (1, 1), (1, 0)]
    assert found.points[0][0] == journal.start + timedelta(seconds=10)
    assert (found.most_waiting, found.most_inside) == (3, 1)


def test_whoever_goes_straight_in_never_stood_in_line(queue, journal):
    journal.note(1, "join", 1).note(1, "admit", 1)

    assert line.course(queue.pk).most_waiting == 0


def test_a_sale_of_a_month_has_a_few_hundred_points(queue, journal):
    journal.note(0, "join", 1).note(30 * 86_400, "left", 1)

    assert 50 < len(line.course(queue.pk).points) <= 202


def test_before_anybody_came_there_is_nothing_to_tell(queue, now):
    report = report_of(queue, with_money=True, now=now)

    assert (report.course.points, report.spans["wait"]) == ([], None)
    assert report.funnel[0] == ("joined", 0)
    assert pdf_of(report).startswith(b"%PDF")
    assert "funnel" in csv_of(report)


def test_a_crowd_takes_seconds_and_little_memory(queue, now):
    people = 20_000
    entries = write_crowd(queue, now - timedelta(hours=1), people)
    assert entries > 50_000

    tracemalloc.start()
    began = time.monotonic()
    report = report_of(queue, with_money=True, now=now)
    took = time.monotonic() - began
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert report.reached == line.Reached(0, people, people, people * 9 // 10, people // 10)
    assert (report.fairness.calls.turns, report.fairness.calls.inversions) == (people, 0)
    assert report.fairness.entries.inversions > 0
    assert report.course.most_waiting == people
    assert took < 15
    assert peak < 8_000_000
