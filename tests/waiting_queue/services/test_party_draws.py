"""A leader who leaves after the list of a draw is closed: the party keeps the lot."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from tests.race import together
from tests.waiting_queue.minutes import begin_of_minute, changed_script, checks, join_all, tick
from tests.waiting_queue.services.steps import seconds
from ticketing.console.selectors.report.fairness import fairness
from ticketing.core import redis
from waiting_queue import selectors, services, store
from waiting_queue.models import QueueJournal, SaleQueue
from waiting_queue.services import draws, minute_draws

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = [str(number) for number in range(1, 7)]
COMPANIONS = ["8", "9"]


@dataclass
class Pool:
    """Those who are drawn together: before the opening, or in a minute."""

    queue: SaleQueue
    module: Any
    now: datetime

    def gather(self, operator) -> None:
        audit = {"event_id": self.queue.pk, "by": operator, "now": self.now}
        services.set_knobs(knobs={"max_inside": 1, "admit_per_second": 1e-9}, **audit)
        if self.module is draws:
            services.move_queue(to="lobby", **audit)
        else:
            services.set_knobs(knobs={"mode": "minute_draw"}, **audit)
            services.move_queue(to="open", **audit)
        join_all(self.queue, PEOPLE, self.now)
        self.invite("1", *COMPANIONS)

    def invite(self, leader: str, *companions: str) -> None:
        code = services.invite(event_id=self.queue.pk, person=leader, now=self.now).code
        for person in companions:
            services.join_party(event_id=self.queue.pk, person=person, code=code, now=self.now)

    def close(self) -> None:
        """From now on nobody can be added; the list is not read yet."""
        if self.module is draws:
            services.move_queue(event_id=self.queue.pk, to="open", by=None, now=self.now)
        else:
            self.now += seconds(60)
            join_all(self.queue, ["99"], self.now)

    def list_people(self, monkeypatch) -> None:
        """The draw is interrupted once its people are known."""
        with monkeypatch.context() as patch:
            patch.setattr(self.module, "_save_order", lambda *_args: 1 / 0)
            tick(self.now)
        assert sorted(self.draw.people) == PEOPLE

    @property
    def draw(self) -> Any:
        queue = SaleQueue.objects.get(pk=self.queue.pk)
        return queue.draw if self.module is draws else queue.minute_draws.get(minute=1)

    def leave(self, person: str) -> None:
        services.leave(event_id=self.queue.pk, person=person, now=self.now)

    def find(self, person: str) -> store.Standing:
        return store.run(store.peek(self.queue.pk, person, self.now))

    def drawn(self, person: str) -> int:
        """The number that was drawn for a person on the list."""
        return self.draw.first_number + self.draw.people.index(person)


@pytest.fixture(params=[draws, minute_draws], ids=["opening", "minute"])
def pool(request, queue, operator, now) -> Pool:
    pool = Pool(queue, request.param, begin_of_minute(now))
    pool.gather(operator)
    return pool


def test_a_companion_gets_the_number_that_was_drawn_for_the_leader(pool, monkeypatch):
    pool.close()
    pool.list_people(monkeypatch)

    pool.leave("1")
    tick(pool.now)

    found = [pool.find(person) for person in COMPANIONS]
    assert {(one.state, one.number, one.leader) for one in found} == {
        ("waiting", pool.drawn("1"), "8")
    }
    assert [pool.find(person).number for person in PEOPLE[1:]] == list(map(pool.drawn, PEOPLE[1:]))
    assert all(checks(pool.queue).values())


def test_control_without_the_lot_the_companions_are_never_drawn(pool, tmp_path, monkeypatch):
    change = ("draw.lua", "redis.call('HGET', parties, '@' .. minute .. ':' .. listed) or ", "")
    pool.close()
    pool.list_people(monkeypatch)
    pool.leave("1")

    with changed_script(tmp_path, monkeypatch, *change):
        tick(pool.now)

        assert {pool.find(person).state for person in COMPANIONS} == {"lobby"}


@pytest.mark.parametrize("left", [["1"], ["1", "8"]])
def test_one_reads_the_own_number_and_whose_entry_it_is(pool, monkeypatch, left):
    pool.close()
    pool.list_people(monkeypatch)
    for person in left:
        pool.leave(person)
    tick(pool.now)
    services.drain_journals()

    queue = SaleQueue.objects.get(pk=pool.queue.pk)
    public = selectors.public_draw(queue)
    entries = [selectors.own_entry(queue, person=who, draw=public) for who in (9, 2)]

    salt = queue.open_draw_secrets().salt
    assert [(one.entry, one.number) for one in entries] == [
        (selectors.entry_of(salt, who), pool.drawn(who)) for who in ("1", "2")
    ]


def test_a_leader_who_leaves_before_the_list_is_read_is_on_it_for_the_party(pool, monkeypatch):
    pool.close()
    pool.leave("1")

    pool.list_people(monkeypatch)
    tick(pool.now)

    assert pool.find("9").number == pool.drawn("1")


def test_a_leader_who_leaves_before_the_list_is_closed_is_not_on_it(pool):
    pool.leave("1")

    pool.close()
    tick(pool.now)

    assert sorted(pool.draw.people) == [*PEOPLE[1:], "8"]
    assert pool.find("9").number == pool.drawn("8")


def test_a_rebuilt_line_knows_whose_lot_it_is(pool, monkeypatch):
    pool.close()
    pool.list_people(monkeypatch)
    pool.leave("1")
    services.drain_journals()
    redis.queue_client().flushdb()

    tick(pool.now + seconds(1))
    tick(pool.now + seconds(2))

    assert {pool.find(person).number for person in COMPANIONS} == {pool.drawn("1")}


def test_whoever_gave_up_a_lot_for_that_of_a_party_has_the_party_s(pool, monkeypatch):
    pool.close()
    pool.list_people(monkeypatch)
    pool.invite("3", "2")

    pool.leave("3")
    tick(pool.now)

    numbers = [pool.find(person).number for person in PEOPLE]
    assert pool.find("2").number == pool.drawn("3")
    assert pool.drawn("2") not in numbers


def test_leaders_who_leave_during_the_draw_lose_nobody(pool, monkeypatch):
    """Whether a lot was drawn before or after its leader left, the party has it."""
    companions = {leader: str(50 + int(leader)) for leader in PEOPLE[1:]}
    for leader, companion in companions.items():
        pool.invite(leader, companion)
    pool.close()
    monkeypatch.setattr(draws, "BATCH", 1)
    steps = [lambda: tick(pool.now), *(lambda who=who: pool.leave(who) for who in PEOPLE)]

    together(len(steps), lambda number: steps[number]())
    tick(pool.now + seconds(1))

    heirs = ["8", *companions.values()]
    assert {pool.find(person).state for person in heirs} == {"waiting"}
    assert sorted(pool.find(person).number for person in heirs) == list(range(1, 7))


def test_the_report_counts_no_number_as_misplaced(queue, operator, now, monkeypatch):
    pool = Pool(queue, draws, now)
    pool.gather(operator)
    pool.close()
    pool.list_people(monkeypatch)
    pool.leave("1")
    tick(now)
    services.drain_journals()

    found = fairness(SaleQueue.objects.get(pk=queue.pk)).lobby

    assert (found.numbered, found.misplaced) == (6, 0)
    QueueJournal.objects.filter(kind="join").update(leader=None)
    assert fairness(SaleQueue.objects.get(pk=queue.pk)).lobby.misplaced == 1
