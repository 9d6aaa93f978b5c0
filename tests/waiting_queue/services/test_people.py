"""Operators act on a person: the audit row is committed first, then Redis follows."""

import pytest
from django.db import DatabaseError, connection
from redis.exceptions import RedisError

from tests.race import together
from tests.waiting_queue.outage import no_queue_redis
from ticketing.core.errors import Unavailable
from waiting_queue import errors, services, store
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.services import people

pytestmark = pytest.mark.django_db(transaction=True)
PERSON = "77"


@pytest.fixture
def line(open_queue, now) -> SaleQueue:
    """A paused line with one person in it."""
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    services.join(event_id=open_queue.pk, person=PERSON, now=now)
    return open_queue


@pytest.fixture
def act(line, now):
    def act(action, **more):
        why = {"why": "a robot"} if action == "block" else {}
        service = services.PERSON_ACTIONS[action].service
        return service(event_id=line.pk, person=PERSON, by=None, now=now, **why | more)

    return act


@pytest.fixture
def commits_fail(line):
    """Every commit of an audit row fails, after all its statements went well."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse_commit() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the commit fails'; END $$"
        )
        cursor.execute(
            "CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT ON queue_queuechange "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_commit()"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION refuse_commit CASCADE")


@pytest.fixture
def redis_is_lost_after_the_commit(monkeypatch):
    """The process dies, or Redis is away, between the commit and the change in Redis."""

    def fail(*_args, **_more):
        raise Unavailable()

    def lose():
        monkeypatch.setattr(people, "_move_out", fail)
        monkeypatch.setattr(store, "unblock", fail)

    yield lose
    monkeypatch.undo()


def state(line, now):
    return store.run(store.peek(line.pk, PERSON, now)).state


def changes():
    return list(QueueChange.objects.filter(what=f"person {PERSON}").values_list("after", flat=True))


@pytest.mark.parametrize("action", ["kick", "block"])
def test_a_commit_that_fails_moves_nobody_out(line, act, commits_fail, now, action):
    with pytest.raises(DatabaseError):
        act(action)

    assert (state(line, now), store.block_reason(line.pk, PERSON)) == ("waiting", None)


def test_a_commit_that_fails_unblocks_nobody(line, act, request, now):
    act("block")
    request.getfixturevalue("commits_fail")

    with pytest.raises(DatabaseError):
        act("unblock")

    assert store.block_reason(line.pk, PERSON) == "a robot"


@pytest.mark.parametrize("action", ["kick", "block", "unblock"])
def test_without_redis_nothing_is_recorded(line, act, now, action):
    with no_queue_redis(), pytest.raises(RedisError):
        act(action)

    assert (changes(), state(line, now)) == ([], "waiting")


def test_a_block_that_redis_did_not_hear_of_is_made_true(
    line, act, now, redis_is_lost_after_the_commit, monkeypatch
):
    redis_is_lost_after_the_commit()
    with pytest.raises(Unavailable):
        act("block")
    monkeypatch.undo()
    assert (state(line, now), changes()) == ("waiting", ["blocked"])

    assert services.reconcile_blocks(now=now) == 1

    assert state(line, now) == "blocked"
    with pytest.raises(errors.Blocked, match="a robot"):
        services.join(event_id=line.pk, person=PERSON, now=now)
    assert services.reconcile_blocks(now=now) == 0


def test_an_unblock_that_redis_did_not_hear_of_is_made_true(
    line, act, now, redis_is_lost_after_the_commit, monkeypatch
):
    act("block")
    redis_is_lost_after_the_commit()
    with pytest.raises(Unavailable):
        act("unblock")
    monkeypatch.undo()

    assert services.reconcile_blocks(now=now) == 1

    assert services.join(event_id=line.pk, person=PERSON, now=now).state == "waiting"


def test_a_block_from_before_the_line_was_there_holds_when_it_starts(queue, now):
    services.block(event_id=queue.pk, person=PERSON, by=None, why="a robot", now=now)
    services.move_queue(event_id=queue.pk, to="open", by=None, now=now)

    services.reconcile_blocks(now=now)

    with pytest.raises(errors.Blocked):
        services.join(event_id=queue.pk, person=PERSON, now=now)


def test_blocks_and_unblocks_at_once_end_as_the_audit_says(line, act, now):
    act("block")
    together(8, lambda number: act("unblock" if number % 2 else "block"))
    together(2, lambda _: services.reconcile_blocks(now=now))

    blocked = store.block_reason(line.pk, PERSON) is not None
    assert blocked is (changes_in_order()[-1] == "blocked")


def changes_in_order():
    rows = QueueChange.objects.filter(what=f"person {PERSON}").order_by("id")
    return list(rows.values_list("after", flat=True))
