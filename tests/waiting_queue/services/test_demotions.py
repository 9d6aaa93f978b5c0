"""Operators move people to the end of the line: audited, repeatable, undone by an appeal."""

import pytest
from redis.exceptions import RedisError

from tests.making import make_user
from tests.race import together
from tests.waiting_queue.outage import no_queue_redis
from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core import redis
from ticketing.core.errors import InvalidInput, Unavailable
from waiting_queue import errors, keys, selectors, services, store
from waiting_queue.models import QueueChange, QueueJournal, SaleQueue
from waiting_queue.services import demotions

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = ["71", "72", "73", "74"]


@pytest.fixture
def line(open_queue, now) -> SaleQueue:
    """Paused, with four people in it."""
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    join_all(open_queue, PEOPLE, now)
    return open_queue


@pytest.fixture
def demote(line, operator, now):
    def demote(*people: str, why: str = "one household", at=now) -> list[str]:
        common = {"event_id": line.pk, "by": operator, "now": at}
        return services.demote_people(people=people, why=why, **common)

    return demote


def order(line) -> list[str]:
    return redis.queue_client().zrange(keys.key(line.pk, "line"), 0, -1)


def test_a_group_is_moved_in_its_order_and_each_has_an_audit_row(line, demote, operator):
    assert demote("73", "71", "999") == ["71", "73"]

    assert order(line) == ["72", "74", "71", "73"]
    rows = QueueChange.objects.filter(after="demoted").order_by("id")
    assert list(rows.values_list("what", "before", "why", "by")) == [
        ("person 71", "1", "one household", operator.pk),
        ("person 73", "3", "one household", operator.pk),
    ]


def test_they_need_a_reason_and_a_line(queue, demote, now):
    with pytest.raises(InvalidInput):
        demote("71", why=" ")
    services.move_queue(event_id=queue.pk, to="closed", by=None, now=now)
    services.tick_open_queues(now=now)
    with pytest.raises(errors.QueueNotBegun):
        demote("71")


def test_of_one_person_who_is_not_there_the_operator_is_told(line, operator, now):
    with pytest.raises(errors.PersonNotInLine):
        services.demote(event_id=line.pk, person="999", by=operator, why="x", now=now)


def test_without_redis_nothing_is_recorded(line, demote):
    with no_queue_redis(), pytest.raises(RedisError):
        demote("71")

    assert not QueueChange.objects.filter(after="demoted").exists()


def test_a_demotion_that_redis_did_not_hear_of_is_carried_out_once(line, demote, now, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise Unavailable()

    monkeypatch.setattr(demotions, "_move_to_end", fail)
    with pytest.raises(Unavailable):
        demote("71", "72")
    monkeypatch.undo()
    assert order(line) == PEOPLE

    together(3, lambda _: services.reconcile_demotions(now=now))

    assert services.reconcile_demotions(now=now) == 0
    assert set(order(line)[:2]) == {"73", "74"}
    assert QueueJournal.objects.count() + len(store.journal_entries(line.pk, 100)) == 6


def test_control_a_repeat_under_another_name_moves_them_again(line, demote, now):
    demote("71")

    moved = store.run(store.demote(line.pk, ["71"], batch="2", why="x", now=now))

    assert moved == ["71"]


def test_undoing_it_restores_the_number_and_is_audited(line, demote, operator, now):
    demote("71")

    services.undo_demotion(event_id=line.pk, person="71", by=operator, why="sorry", now=now)

    assert order(line) == PEOPLE
    last = QueueChange.objects.latest("id")
    assert (last.before, last.after, last.why) == ("demoted", "restored", "sorry")
    with pytest.raises(errors.PersonNotDemoted):
        services.undo_demotion(event_id=line.pk, person="71", by=operator, now=now)


def test_granting_an_appeal_restores_the_number(line, operator, now):
    fan = make_user()
    join_all(line, [str(fan.pk), "75"], now)
    whom = {"event_id": line.pk, "person": str(fan.pk), "now": now}
    with pytest.raises(errors.NotBlocked):
        services.submit_appeal(**whom, message="Why?")
    services.demote(**whom, by=operator, why="one household")
    appeal = services.submit_appeal(**whom, message="We are students.")

    services.lift_appeal(appeal_id=appeal.pk, answer="Sorry.", by=operator, now=now)

    appeal.refresh_from_db()
    assert (appeal.state, order(line)[-1]) == ("lifted", "75")


def test_refusing_an_appeal_leaves_them_where_they_are(line, operator, now):
    fan = make_user()
    join_all(line, [str(fan.pk), "75"], now)
    whom = {"event_id": line.pk, "person": str(fan.pk), "now": now}
    services.demote(**whom, by=operator, why="one household")
    appeal = services.submit_appeal(**whom, message="We are students.")

    services.refuse_appeal(appeal_id=appeal.pk, answer="No.", by=operator, now=now)

    last = QueueChange.objects.latest("id")
    assert (last.before, last.after, order(line)[-1]) == ("demoted", "refused", str(fan.pk))


def test_a_rebuilt_line_has_them_at_the_end_and_can_still_restore_them(line, demote, operator, now):
    demote("71", "72")
    services.undo_demotion(event_id=line.pk, person="72", by=operator, now=now)
    services.drain_journals()
    redis.queue_client().flushdb()

    services.tick_open_queues(now=now + seconds(1))

    assert order(line) == ["72", "73", "74", "71"]
    found = store.run(store.peek(line.pk, "71", now + seconds(1)))
    assert found.demoted_why == "one household"
    assert services.reconcile_demotions(now=now) == 0
    services.undo_demotion(event_id=line.pk, person="71", by=operator, now=now)
    assert order(line) == PEOPLE


def test_a_list_names_people_by_address_number_range_and_id(line):
    fan, other = make_user(), make_user()
    text = f"{fan.email.upper()}, {other.pk}\n#1 #2-#3; nobody@example.com #99"

    listed = selectors.people_listed(event_id=line.pk, text=text)

    assert listed.people == [str(fan.pk), str(other.pk), "71", "72", "73"]
    assert listed.unknown == ["nobody@example.com", "#99"]
