"""The fairness check finds people who were called out of order."""

import random
from datetime import timedelta

import pytest

from tests.waiting_queue.lanes import add_lane
from ticketing.console.selectors.report.fairness import (
    CALLS,
    InversionCounter,
    fairness,
    turn_order,
)
from ticketing.console.views.reports.labels import fairness_rows, verdict
from waiting_queue import services as queues
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue

pytestmark = pytest.mark.django_db


def count(ranks):
    counter = InversionCounter()
    for rank in ranks:
        counter.add(rank)
    return counter.found


def one_by_one(ranks):
    return sum(a > b for n, a in enumerate(ranks) for b in ranks[n + 1 :])


@pytest.mark.parametrize(
    ("ranks", "found"),
    [([], 0), ([1], 0), ([1, 2, 3], 0), ([2, 1], 1), ([3, 2, 1], 3), ([1, 1, 2, 2], 0)],
)
def test_pairs_in_the_wrong_order_are_counted(ranks, found):
    assert count(ranks) == found


def test_the_count_equals_comparing_every_pair():
    rng = random.Random(7)
    for size in (5, 40, 300):
        ranks = [rng.randint(1, size) for _ in range(size)]
        assert count(ranks) == one_by_one(ranks)


def test_a_long_reversed_order_is_counted_without_comparing_every_pair():
    many = 50_000
    assert count(range(many, 0, -1)) == many * (many - 1) // 2


def test_a_fair_queue_has_no_inversions_however_late_people_come_in(queue, journal):
    journal.note(0, "join", 1, 2, 3).note(1, "ready", 1, 2, 3).note(9, "admit", 3, 1, 2)

    found = fairness(queue)

    assert (found.calls.turns, found.calls.inversions) == (3, 0)
    assert found.entries.inversions == 2
    assert found.is_fair


def test_planted_inversions_are_found_and_named(queue, journal):
    journal.note(0, "join", *range(1, 11))
    journal.note(1, "ready", 1, 2, 9, 3, 4, 5, 6, 8, 7, 10)

    found = fairness(queue)

    assert found.calls.inversions == 7
    assert found.calls.overtaken == [3, 4, 5, 6, 8]
    assert not found.is_fair
    assert any("7" in result and not is_good for _, result, is_good in fairness_rows(found))


def test_the_verdict_says_what_was_found(queue, journal):
    nothing = verdict(fairness(queue))
    journal.note(0, "join", 1, 2).note(1, "ready", 1)
    fair = verdict(fairness(queue))
    journal.note(2, "ready", 2).note(3, "ready", 1, person=5)
    unfair = verdict(fairness(queue))

    assert len({nothing, fair, unfair}) == 3


def test_a_second_call_after_an_outage_is_not_a_new_turn(queue, journal):
    journal.note(0, "join", 1, 2).note(1, "ready", 1, 2).note(60, "ready", 1)

    assert turn_order(queue.pk, CALLS).inversions == 0


@pytest.fixture
def drawn(event, operator, now):
    """A lobby of thirty people, drawn and called by the queue itself."""
    earlier = now - timedelta(minutes=5)
    queue = SaleQueue.objects.create(
        event=event, lobby_opens_at=now - timedelta(minutes=10), opens_at=now
    )
    queues.move_queue(event_id=queue.pk, to="lobby", by=operator, now=earlier)
    queues.tick_open_queues(now=earlier)
    for person in range(501, 531):
        queues.join(event_id=queue.pk, person=str(person), now=earlier)
    queues.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    for second in range(4):
        queues.tick_open_queues(now=now + timedelta(seconds=second))
    queues.drain_journals()
    queue.refresh_from_db()
    return queue


def test_a_real_lobby_gets_the_numbers_of_the_published_draw(drawn):
    found = fairness(drawn)

    assert (found.lobby.people, found.lobby.numbered, found.lobby.misplaced) == (30, 30, 0)
    assert found.calls.turns > 0
    assert found.is_fair


def test_a_person_who_rejoined_after_the_draw_is_not_misplaced(drawn, now):
    QueueJournal.objects.filter(event_id=drawn.pk, person=501).delete()
    QueueJournal.objects.create(
        event_id=drawn.pk, entry="back", at=now, person=501, kind="join", number=31
    )

    found = fairness(drawn).lobby

    assert (found.numbered, found.misplaced) == (29, 0)


def test_a_number_given_to_the_wrong_person_is_found(drawn):
    first, second = QueueJournal.objects.filter(event_id=drawn.pk, kind="join")[:2]
    QueueJournal.objects.filter(pk=first.pk).update(person=second.person)
    QueueJournal.objects.filter(pk=second.pk).update(person=first.person)

    found = fairness(drawn)

    assert found.lobby.misplaced == 2
    assert not found.is_fair


def test_an_order_that_does_not_follow_from_the_seed_is_found(drawn):
    draw = QueueDraw.objects.get(pk=drawn.pk)
    draw.people = draw.people[::-1]
    draw.save()

    found = fairness(drawn).lobby

    assert not found.is_correct
    assert [passed for passed, _ in found.checks].count(False) == 1


def test_order_and_shares_are_those_of_the_lanes(queue, journal, now):
    add_lane(queue, now, weight=3)
    vips = [LANE_NUMBERS + number for number in (1, 2, 3)]
    journal.note(0, "join", 1, 2, *vips).note(1, "ready", 1, *vips, 2)

    found = fairness(queue)

    assert (found.calls.turns, found.calls.inversions) == (5, 0)
    assert [(one.called, one.got, one.wanted) for one in found.lanes] == [
        (2, 0.4, 0.25),
        (3, 0.6, 0.75),
    ]
    assert "Lane “Fan-club presale”: called, and its share" in {
        row[0] for row in fairness_rows(found)
    }


def test_somebody_who_was_overtaken_in_their_lane_is_found(queue, journal, now):
    add_lane(queue, now)
    journal.note(0, "join", LANE_NUMBERS + 1, LANE_NUMBERS + 2)
    journal.note(1, "ready", LANE_NUMBERS + 2, LANE_NUMBERS + 1)

    assert (fairness(queue).calls.inversions, fairness(queue).calls.overtaken) == (1, [1])
