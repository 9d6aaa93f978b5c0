"""Groups that the system moves to the end of the line: only for independent reasons, and once."""

from datetime import timedelta
from itertools import count
from threading import Event as Signal

import pytest
from django.db import transaction

from tests.making import make_user
from tests.race import together, wait_unless_blocking
from tests.waiting import PATIENCE
from ticketing.accounts.models import Identity
from ticketing.core import redis
from ticketing.events.models import Event
from waiting_queue import keys, services, store
from waiting_queue.errors import PersonNotAsked
from waiting_queue.locks import queue_for_update
from waiting_queue.models import PlaceSignals, QueueChange, SaleQueue
from waiting_queue.selectors.groups import strong_groups
from waiting_queue.services import group_moves, verification_requests
from waiting_queue.services.audit_log import (
    DEMOTED,
    RESTORED,
    about_person,
    asked_people,
    record_change,
)

FARM, OFFICE = "203.0.113.0/24", "198.51.100.0/24"
numbers = count(100_000)


def join(queue, now, ages, *, network="", run_outs=0, device="", in_line=True):
    """One new person for each age of an account; without a network each has their own."""
    people = [next(numbers) for _ in ages]
    PlaceSignals.objects.bulk_create(
        PlaceSignals(
            event_id=queue.pk,
            person=person,
            at=now,
            address_range=network or f"10.{person // 250 % 250}.{person % 250}.0/24",
            signals={"account_age": age, "device": device, "holds_run_out": run_outs},
            entry=f"{person}-1",
        )
        for person, age in zip(people, ages, strict=True)
    )
    for person in people if in_line else ():
        services.join(event_id=queue.pk, person=str(person), now=now)
    return [*map(str, people)]


@pytest.fixture
def line(open_queue, operator, now):
    """Nobody is called; thirty people with old accounts wait, each from somewhere else."""
    services.move_queue(event_id=open_queue.pk, to="paused", by=operator, now=now)
    services.tick_open_queues(now=now)
    join(open_queue, now, ["older"] * 27 + ["day"] * 3)
    return SaleQueue.objects.get(pk=open_queue.pk)


def move(line, now):
    return group_moves.handle_groups(now=now)


def groups(line):
    return {group.reason: {*map(str, group.people)} for group in strong_groups(line.pk)}


def places(line, people, now):
    return [services.standing(event_id=line.pk, person=it, now=now).ahead for it in people]


@pytest.mark.django_db
class TestWhoIsMoved:
    def test_many_new_accounts_of_one_network_go_to_the_end_and_are_asked(self, line, now):
        farm = join(line, now, ["day"] * 10, network=FARM)
        honest = join(line, now, ["older"] * 2)

        assert move(line, now) == 10

        assert places(line, honest, now) == [30, 31]
        assert places(line, farm, now) == [*range(32, 42)]
        assert asked_people(line.pk).keys() == {*farm}
        reasons = QueueChange.objects.filter(queue=line, by=None, why="group: new_accounts")
        assert reasons.filter(after="demoted").count() == 10

    @pytest.mark.parametrize("ages", [["day"] * 9, ["older"] * 50, ["day"] * 30 + ["older"] * 10])
    def test_a_household_an_office_and_a_network_of_many_are_left_alone(self, line, now, ages):
        join(line, now, ages, network=OFFICE)

        assert move(line, now) == 0
        assert not asked_people(line.pk)

    def test_people_with_old_accounts_in_the_same_network_stay(self, line, now):
        farm = join(line, now, ["day"] * 12, network=FARM)
        join(line, now, ["older"] * 2, network=FARM)

        assert groups(line) == {"new_accounts": {*farm}}

    def test_new_accounts_mean_nothing_where_most_are_new(self, line, now):
        join(line, now, ["day"] * 30)
        join(line, now, ["day"] * 20, network=FARM)

        assert move(line, now) == 0

    def test_new_accounts_mean_nothing_where_too_few_others_are_known(self, open_queue, now):
        join(open_queue, now, ["older"] * 19, in_line=False)
        join(open_queue, now, ["day"] * 20, network=FARM, in_line=False)

        assert groups(open_queue) == {}

    def test_accounts_of_a_week_count_too(self, line, now):
        farm = join(line, now, ["week"] * 10, network=FARM)

        assert groups(line) == {"young_accounts": {*farm}}

    def test_new_accounts_of_one_browser_are_a_group_from_five_on(self, line, now):
        join(line, now, ["day"] * 4, device="family")
        farm = join(line, now, ["day"] * 5, device="farm")

        assert groups(line) == {"new_accounts": {*farm}}

    def test_of_a_network_those_whose_holds_run_out_again_and_again(self, line, now):
        join(line, now, ["older"] * 20, network=FARM)
        hoarders = join(line, now, ["older"] * 10, network=FARM, run_outs=2)
        join(line, now, ["older"] * 12, network=OFFICE, run_outs=1)

        assert groups(line) == {"run_outs": {*hoarders}}

    def test_verified_people_are_never_moved(self, line, now):
        farm = join(line, now, ["day"] * 10, network=FARM)
        verify(farm[0], now)

        move(line, now)

        assert places(line, farm[:1], now) == [30]
        assert farm[0] not in asked_people(line.pk)

    def test_an_operator_switches_it_off(self, line, operator, now):
        join(line, now, ["day"] * 10, network=FARM)
        services.set_knobs(event_id=line.pk, knobs={"moves_groups": False}, by=operator, now=now)

        assert move(line, now) == 0

    def test_so_many_are_never_moved_that_hardly_anybody_is_left(self, line, now):
        for number in range(10):
            join(line, now, ["day"] * 10, network=f"203.0.{number}.0/24")

        assert move(line, now) == 90  # of 130 people: three quarters at most

    def test_without_a_way_to_verify_nobody_is_asked(self, line, now, settings):
        settings.PORTONE_IDENTITY_CHANNEL_KEY = ""
        join(line, now, ["day"] * 10, network=FARM)

        assert move(line, now) == 10
        assert not asked_people(line.pk)


def verify(person, now):
    Identity.objects.create(
        user=make_user(pk=int(person), password=None),
        digest=person.zfill(64),
        birth_year=1990,
        verified_at=now,
    )


@pytest.mark.django_db
class TestWhatFollows:
    @pytest.fixture
    def farm(self, line, now):
        people = join(line, now, ["day"] * 10, network=FARM)
        join(line, now, ["older"] * 5)
        move(line, now)
        return people

    def test_whoever_verifies_has_the_old_place_back(self, line, farm, now):
        verify(farm[0], now)

        later = now + timedelta(seconds=5)
        assert move(line, later) == 0

        assert places(line, farm[:1], later) == [30]
        assert farm[0] not in asked_people(line.pk)
        undone = QueueChange.objects.filter(queue=line, why="verified", by=None)
        assert {*undone.values_list("after", flat=True)} == {"unasked", "restored"}

    def test_what_an_operator_undoes_stays_undone(self, line, farm, operator, now):
        for undo in ("restore", "unask"):
            services.PERSON_ACTIONS[undo].service(
                event_id=line.pk, person=farm[0], by=operator, now=now
            )

        assert move(line, now + timedelta(seconds=5)) == 0

        assert places(line, farm[:1], now) == [30]
        with pytest.raises(PersonNotAsked):
            services.PERSON_ACTIONS["unask"].service(
                event_id=line.pk, person=farm[0], by=operator, now=now
            )

    def test_whoever_joins_the_group_later_is_moved_too(self, line, farm, now):
        late = join(line, now, ["day"], network=FARM)
        join(line, now, ["older"])

        assert move(line, now + timedelta(seconds=5)) == 1
        assert places(line, late, now) == [36]  # behind everybody else; the others are again, too


@pytest.mark.django_db
class TestWhereEverybodyIsVerified:
    """Somebody verified among many who tried without: whose the identity is, is asked again."""

    @pytest.fixture
    def line(self, line):
        Event.objects.filter(pk=line.pk).update(identity_level=Event.IdentityLevel.IDENTITY)
        return line

    def test_one_verified_account_among_many_without_goes_to_the_end(self, line, now):
        join(line, now, ["day"] * 9, network=FARM, in_line=False)
        owner = join(line, now, ["day"], network=FARM)
        verify(owner[0], now)
        honest = join(line, now, ["older"] * 2)

        later = now + timedelta(seconds=5)
        assert move(line, later) == 1

        assert places(line, [*honest, *owner], later) == [30, 31, 32]

    def test_whoever_verifies_again_has_the_old_place_back(self, line, now):
        join(line, now, ["day"] * 9, network=FARM, in_line=False)
        owner = join(line, now, ["day"], network=FARM)
        verify(owner[0], now)
        join(line, now, ["older"] * 2)
        later = now + timedelta(seconds=5)
        move(line, later)
        assert move(line, later + timedelta(seconds=5)) == 0
        assert places(line, owner, later) == [32]

        Identity.objects.update(verified_at=later + timedelta(seconds=6))
        move(line, later + timedelta(seconds=10))

        assert places(line, owner, later) == [30]
        assert owner[0] not in asked_people(line.pk)
        assert move(line, later + timedelta(seconds=15)) == 0

    def test_friends_who_all_verified_are_left_alone(self, line, now):
        join(line, now, ["day"] * 6, network=OFFICE, in_line=False)
        for person in join(line, now, ["day"] * 6, network=OFFICE):
            verify(person, now)

        assert move(line, now + timedelta(seconds=5)) == 0

    def test_an_old_account_in_the_same_network_is_left_alone(self, line, now):
        join(line, now, ["day"] * 10, network=FARM, in_line=False)
        verify(join(line, now, ["older"], network=FARM)[0], now)

        assert move(line, now + timedelta(seconds=5)) == 0


@pytest.mark.django_db
class TestWhoHasToVerify:
    """They are not called before, whoever else is there or not."""

    @pytest.fixture
    def farm(self, line, operator, now):
        """All places inside are free, and nobody else waits any more."""
        people = join(line, now, ["day"] * 10, network=FARM)
        move(line, now)
        SaleQueue.objects.filter(pk=line.pk).update(admit_per_second=0)  # as many as there is room
        services.move_queue(event_id=line.pk, to="open", by=operator, now=now)
        assert len(called(line, now)) == 30
        return people

    def test_is_not_called_even_if_nobody_else_waits(self, line, farm, now):
        assert called(line, now + timedelta(seconds=2)) == []
        assert places(line, farm, now) == [*range(10)]

    def test_is_not_in_the_way_of_others(self, line, farm, now):
        late = join(line, now, ["older"] * 2)

        assert called(line, now + timedelta(seconds=2)) == late

    def test_is_called_once_verified(self, line, farm, now):
        verify(farm[3], now)
        move(line, now)

        assert called(line, now + timedelta(seconds=2)) == [farm[3]]

    @pytest.mark.parametrize("undo", ["restore", "unask"])
    def test_is_called_if_an_operator_undoes_either(self, line, farm, operator, now, undo):
        services.PERSON_ACTIONS[undo].service(
            event_id=line.pk, person=farm[3], by=operator, now=now
        )
        move(line, now)

        assert called(line, now + timedelta(seconds=2)) == [farm[3]]

    def test_is_called_if_an_operator_switches_it_off(self, line, farm, operator, now):
        services.set_knobs(event_id=line.pk, knobs={"moves_groups": False}, by=operator, now=now)
        move(line, now)

        assert called(line, now + timedelta(seconds=2)) == farm

    def test_is_called_where_nobody_can_verify(self, line, farm, now, settings):
        settings.PORTONE_IDENTITY_CHANNEL_KEY = ""
        move(line, now)

        assert called(line, now + timedelta(seconds=2)) == farm

    def test_waits_after_redis_was_lost_too(self, line, farm, now):
        services.drain_journals()
        redis.queue_client().flushdb()
        services.tick_open_queues(now=now + timedelta(seconds=1))

        assert called(line, now + timedelta(seconds=3)) == []
        assert places(line, farm, now) == [*range(10)]


def called(line, now):
    return services.tick_open_queues(now=now)[line.pk].called


@pytest.mark.django_db
class TestWhichLinesAreSearched:
    """Every few seconds: what a crowd has left behind is not searched for ever."""

    @pytest.fixture
    def searched(self, monkeypatch):
        searched = []
        monkeypatch.setattr(
            group_moves, "strong_groups", lambda event_id: searched.append(event_id) or []
        )
        return searched

    @pytest.fixture
    def left(self, line, now):
        """A line in which four of thirty people are left; two looks have seen all who came."""
        people = [str(it) for it in PlaceSignals.objects.values_list("person", flat=True)]
        for person in people[4:]:
            services.leave(event_id=line.pk, person=person, now=now)
        move(line, now)
        move(line, now)
        return line

    def test_not_one_that_a_crowd_has_left(self, left, searched, now):
        assert move(left, now) == 0

        assert searched == []

    def test_one_that_somebody_has_joined_since(self, left, searched, now):
        join(left, now, ["day"], in_line=False)

        for _ in range(3):
            move(left, now)

        assert searched == [left.pk, left.pk]  # once more, for what other workers wrote meanwhile

    def test_whoever_verifies_in_one_that_a_crowd_has_left_has_the_old_place_back(self, line, now):
        farm = join(line, now, ["day"] * 10, network=FARM)
        move(line, now)
        everybody = map(str, PlaceSignals.objects.values_list("person", flat=True))
        for person in {*everybody} - {*farm[:2]}:
            services.leave(event_id=line.pk, person=person, now=now)
        move(line, now)
        move(line, now)

        verify(farm[1], now)
        move(line, now)

        assert places(line, farm[:2], now) == [1, 0]

    def test_one_in_which_there_are_enough_people_for_a_group(self, line, searched, now):
        for _ in range(3):
            move(line, now)

        assert searched == [line.pk] * 3


@pytest.mark.django_db
class TestWhoComesLater:
    def test_is_called_before_the_group(self, line, now):
        farm = join(line, now, ["day"] * 10, network=FARM)
        move(line, now)
        services.leave(event_id=line.pk, person=first_of(line, now), now=now)
        late = join(line, now, ["older"] * 3)

        move(line, now + timedelta(seconds=5))

        assert places(line, late, now) == [29, 30, 31]
        assert places(line, farm, now) == [*range(32, 42)]
        verify(farm[0], now)
        move(line, now + timedelta(seconds=10))
        assert places(line, farm[:1], now) == [29]  # the number that they had at first

    def test_while_the_group_is_far_from_its_turn_nothing_is_done(self, line, now):
        SaleQueue.objects.filter(pk=line.pk).update(admit_per_second=1)  # 15 before it looks again
        join(line, now, ["day"] * 10, network=FARM)
        move(line, now)
        join(line, now, ["older"] * 3)

        move(line, now + timedelta(seconds=5))

        assert QueueChange.objects.filter(queue=line, after="demoted").count() == 10

    def test_without_anybody_behind_the_group_keeps_its_places(self, line, now):
        join(line, now, ["day"] * 10, network=FARM)
        move(line, now)
        services.leave(event_id=line.pk, person=first_of(line, now), now=now)

        move(line, now + timedelta(seconds=5))

        assert QueueChange.objects.filter(queue=line, after="demoted").count() == 10


def first_of(line, now):
    people = redis.queue_client().zrange(keys.key(line.pk, "line"), 0, 0)
    return people[0]


@pytest.mark.django_db
class TestLinesWithNothingToHandle:
    def test_they_take_part_in_one_statement_only(self, open_queue, now, django_assert_num_queries):
        four = ["day"] * 4  # one fewer than a group
        join(open_queue, now, four, network=FARM, device="one", in_line=False)

        with django_assert_num_queries(1):
            assert move(open_queue, now) == 0

    def test_control_a_crowd_is_looked_at(self, open_queue, now, django_assert_max_num_queries):
        join(open_queue, now, ["day"] * 5, network=FARM, device="one", in_line=False)

        with pytest.raises(pytest.fail.Exception), django_assert_max_num_queries(1):
            move(open_queue, now)

    def test_people_whom_only_redis_keeps_waiting_are_called_again(self, open_queue, now):
        store.run(store.set_unverified(open_queue.pk, ["7"]))

        move(open_queue, now)

        assert store.unverified(open_queue.pk) == set()


@pytest.mark.django_db
def test_a_group_in_the_lobby_is_at_the_end_before_anybody_is_called(queue, operator, now):
    queue.admit_per_second, queue.max_inside = 0, 5
    queue.save()
    services.move_queue(event_id=queue.pk, to="lobby", by=operator, now=now)
    services.tick_open_queues(now=now)
    honest = join(queue, now, ["older"] * 30)
    farm = join(queue, now, ["day"] * 30, network=FARM)
    move(queue, now)  # asked already; there is no place yet to be moved from
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)

    services.tick_open_queues(now=now)
    called = services.tick_open_queues(now=now)[queue.pk].called

    assert len(called) == 5
    assert {*called} <= {*honest}
    assert min(places(queue, farm, now)) >= 25


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("once", [True, False])
def test_two_workers_move_a_group_once(line, now, once):
    """The control without `once` moves it twice."""
    farm = join(line, now, ["day"] * 10, network=FARM)

    def work(number):
        at = now + timedelta(milliseconds=number)
        audit = {"by": None, "why": "group: new_accounts", "now": at, "once": once}
        return services.demote_people(event_id=line.pk, people=farm, **audit)

    moved = together(2, work)

    assert sorted(map(len, moved)) == ([0, 10] if once else [10, 10])
    rows = QueueChange.objects.filter(queue=line, after="demoted")
    assert rows.count() == (10 if once else 20)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_locked", [True, False])
def test_whom_an_operator_restores_meanwhile_is_not_kept_waiting(
    line, operator, now, monkeypatch, is_locked
):
    """The control without the lock writes what was true before."""
    farm = join(line, now, ["day"] * 10, network=FARM)
    move(line, now)
    redis.queue_client().delete(keys.key(line.pk, "unverified"))
    if not is_locked:
        monkeypatch.setattr(verification_requests, "queue_for_update", lambda event_id: None)

    def work(number):
        if number:
            restoring.wait(PATIENCE)
            verification_requests.write_unverified(line.pk)
            return
        with transaction.atomic():
            queue = queue_for_update(line.pk)
            what = about_person(farm[0])
            record_change(queue, by=operator, now=now, what=what, before=DEMOTED, after=RESTORED)
            restoring.set()
            wait_unless_blocking(lambda: store.unverified(line.pk))

    restoring = Signal()
    assert together(2, work) == [None, None]

    assert store.unverified(line.pk) == {*(farm[1:] if is_locked else farm)}
