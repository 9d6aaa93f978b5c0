"""Draw all along: the newcomers of each minute are drawn by lot, and no minute overtakes."""

import signal

import pytest
from django.db import IntegrityError, transaction

from tests.race import together, winners
from tests.waiting_queue.killed_worker import run_until_killed
from tests.waiting_queue.minutes import (
    FIRST,
    SECOND,
    THIRD,
    begin_of_minute,
    changed_script,
    checks,
    join_all,
    numbers,
    states,
    tick,
)
from tests.waiting_queue.services.steps import seconds
from ticketing.core import redis
from ticketing.events.models import Event
from waiting_queue import selectors, services, store
from waiting_queue.models import (
    MinuteDraw,
    QueueChange,
    QueueJournal,
    SaleQueue,
    hashed,
    minute_secret,
)
from waiting_queue.services import draws, minute_draws
from waiting_queue.tokens import read_token

pytestmark = pytest.mark.django_db(transaction=True)
Mode, State = SaleQueue.Mode, SaleQueue.State
KILLED = -signal.SIGKILL


@pytest.fixture
def start(now):
    """The begin of a minute, so that the tests know when it ends."""
    return begin_of_minute(now)


@pytest.fixture
def line(queue, operator, start) -> SaleQueue:
    """Open and drawn all along; nobody is called, so that numbers can be looked at."""
    knobs = {"mode": Mode.MINUTE_DRAW, "max_inside": 1, "admit_per_second": 1e-9}
    services.set_knobs(event_id=queue.pk, knobs=knobs, by=operator, now=start)
    return services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=start)


def set_mode(line, mode, now):
    return services.set_knobs(event_id=line.pk, knobs={"mode": mode}, by=None, now=now)


# -- the order ------------------------------------------------------------------------------------


def test_newcomers_wait_for_the_end_of_the_minute_and_are_drawn_then(line, start):
    join_all(line, FIRST, start + seconds(1))
    tick(start + seconds(59))
    assert states(line, FIRST, start) == {"lobby"}

    tick(start + seconds(60))

    found = numbers(line, FIRST, start)
    assert sorted(found) == list(range(1, 21))
    assert found != sorted(found)  # 20! orders
    assert all(checks(line).values())


def test_nobody_comes_in_at_once_even_if_there_is_room(queue, operator, start):
    services.set_knobs(event_id=queue.pk, knobs={"mode": "minute_draw"}, by=operator, now=start)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=start)

    found = services.join(event_id=queue.pk, person="1", now=start + seconds(1))

    assert (found.state, found.number, found.mode) == ("lobby", 0, "minute_draw")
    tick(start + seconds(60))
    tick(start + seconds(61))
    assert states(queue, ["1"], start + seconds(61)) == {"ready"}


def test_a_later_minute_is_behind_an_earlier_one(line, start):
    for minute, people in enumerate((FIRST, SECOND, THIRD)):
        join_all(line, people, start + seconds(60 * minute + 5))
        tick(start + seconds(60 * minute + 60))

    assert sorted(numbers(line, FIRST, start)) == list(range(1, 21))
    assert sorted(numbers(line, SECOND, start)) == list(range(21, 41))
    assert sorted(numbers(line, THIRD, start)) == list(range(41, 61))


def test_without_any_tick_for_minutes_the_minutes_stay_apart(line, start):
    """A join ends the minute before it, so a late tick mixes nobody."""
    for minute, people in enumerate((FIRST, SECOND, THIRD)):
        join_all(line, people, start + seconds(60 * minute + 5))

    tick(start + seconds(600))

    assert sorted(numbers(line, FIRST, start)) == list(range(1, 21))
    assert sorted(numbers(line, THIRD, start)) == list(range(41, 61))
    assert all(checks(line).values())


def test_control_if_only_ticks_end_minutes_people_overtake(line, start, tmp_path, monkeypatch):
    change = ("join.lua", "  end_due_minute(now)\n", "")
    with changed_script(tmp_path, monkeypatch, *change):
        for minute, people in enumerate((FIRST, SECOND, THIRD)):
            join_all(line, people, start + seconds(60 * minute + 5))
        tick(start + seconds(600))

        assert sorted(numbers(line, FIRST, start)) != list(range(1, 21))


def test_a_server_whose_clock_is_behind_adds_nobody_to_a_minute_that_has_ended(line, start):
    join_all(line, FIRST, start + seconds(59))
    tick(start + seconds(60))

    join_all(line, SECOND, start + seconds(58))
    tick(start + seconds(61))
    assert states(line, SECOND, start) == {"lobby"}

    tick(start + seconds(120))
    assert sorted(numbers(line, SECOND, start)) == list(range(21, 41))


def test_a_clock_that_was_far_ahead_keeps_nobody_waiting(line, start):
    join_all(line, FIRST, start + seconds(86_400))
    tick(start)

    assert sorted(numbers(line, FIRST, start)) == list(range(1, 21))


def test_whoever_leaves_and_comes_back_is_drawn_with_those_who_came_then(line, start):
    join_all(line, FIRST, start + seconds(5))
    services.leave(event_id=line.pk, person="1", now=start + seconds(6))
    join_all(line, ["1"], start + seconds(65))
    tick(start + seconds(66))
    assert states(line, ["1"], start) == {"lobby"}

    tick(start + seconds(120))

    assert sorted(numbers(line, FIRST[1:], start)) == list(range(1, 20))
    assert numbers(line, ["1"], start) == [20]


def test_whoever_leaves_after_the_end_leaves_a_gap_and_returns_behind(line, start, monkeypatch):
    join_all(line, FIRST, start + seconds(5))
    interrupt(monkeypatch, "_fix_people")
    tick(start + seconds(60))
    services.leave(event_id=line.pk, person="1", now=start + seconds(61))
    join_all(line, ["1"], start + seconds(62))
    monkeypatch.undo()

    tick(start + seconds(63))

    assert states(line, ["1"], start) == {"lobby"}
    assert sorted(numbers(line, FIRST[1:], start)) == list(range(1, 20))
    tick(start + seconds(120))
    assert numbers(line, ["1"], start) == [21]


# -- changes of the mode --------------------------------------------------------------------------


def test_a_change_to_first_come_puts_newcomers_behind_those_of_the_minute(line, start):
    join_all(line, FIRST, start + seconds(5))
    set_mode(line, Mode.FIRST_COME, start + seconds(6))
    joined = services.join(event_id=line.pk, person="99", now=start + seconds(7))

    assert (joined.state, joined.number, joined.ahead) == ("waiting", 21, 20)
    tick(start + seconds(8))
    assert sorted(numbers(line, FIRST, start)) == list(range(1, 21))


def test_nobody_is_called_before_those_of_a_minute_that_is_not_drawn(line, start, monkeypatch):
    join_all(line, FIRST, start + seconds(5))
    set_mode(line, Mode.FIRST_COME, start + seconds(6))
    services.join(event_id=line.pk, person="99", now=start + seconds(7))
    services.set_knobs(
        event_id=line.pk,
        knobs={"max_inside": 20, "admit_per_second": 0},
        by=None,
        now=start,
    )
    interrupt(monkeypatch, "_give_numbers")
    tick(start + seconds(8))
    tick(start + seconds(9))
    assert states(line, ["99"], start) == {"waiting"}
    monkeypatch.undo()

    tick(start + seconds(10))
    tick(start + seconds(11))

    assert states(line, FIRST, start) == {"ready"}
    assert states(line, ["99"], start) == {"waiting"}


def test_control_without_that_bound_somebody_overtakes(line, start, tmp_path, monkeypatch):
    change = ("tick.lua", "undrawn and '(' .. undrawn or to", "to")
    with changed_script(tmp_path, monkeypatch, *change):
        join_all(line, FIRST, start + seconds(5))
        set_mode(line, Mode.FIRST_COME, start + seconds(6))
        services.join(event_id=line.pk, person="99", now=start + seconds(7))
        SaleQueue.objects.update(max_inside=20, admit_per_second=0)
        monkeypatch.setattr(minute_draws, "_give_numbers", fail)
        tick(start + seconds(8))

        assert states(line, ["99"], start) == {"ready"}


def test_the_lobby_is_drawn_at_the_opening_and_then_every_minute(queue, operator, start):
    knobs = {"mode": Mode.MINUTE_DRAW, "max_inside": 1, "admit_per_second": 1e-9}
    services.set_knobs(event_id=queue.pk, knobs=knobs, by=operator, now=start)
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=start)
    join_all(queue, FIRST, start)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=start)
    join_all(queue, SECOND, start + seconds(1))  # before the lobby is drawn
    tick(start + seconds(2))
    assert sorted(numbers(queue, FIRST, start)) == list(range(1, 21))
    assert states(queue, SECOND, start) == {"lobby"}

    tick(start + seconds(60))

    assert sorted(numbers(queue, SECOND, start)) == list(range(21, 41))
    found = checks(queue)
    assert {"secret", "order", "minute_secrets", "minute_numbers"} <= found.keys()
    assert all(found.values())


def test_a_reset_forgets_the_minutes_and_their_secrets(line, operator, start):
    join_all(line, FIRST, start + seconds(5))
    tick(start + seconds(60))
    before = SaleQueue.objects.get().minutes_sha256
    Event.objects.update(state=Event.State.ANNOUNCED)

    services.reset_sale(event_id=line.pk, by=operator, now=start + seconds(61))

    after = SaleQueue.objects.get()
    assert not MinuteDraw.objects.exists()
    assert after.minutes_sha256 not in ("", before)


def test_a_line_that_is_opened_again_goes_on_counting(line, operator, start):
    join_all(line, FIRST, start + seconds(5))
    tick(start + seconds(60))
    services.move_queue(event_id=line.pk, to=State.CLOSED, by=operator, now=start + seconds(61))
    tick(start + seconds(62))
    services.move_queue(event_id=line.pk, to=State.OPEN, by=operator, now=start + seconds(63))
    join_all(line, SECOND, start + seconds(64))
    tick(start + seconds(120))

    assert sorted(numbers(line, SECOND, start)) == list(range(21, 41))
    assert list(MinuteDraw.objects.values_list("minute", flat=True)) == [1, 2]
    assert all(checks(line).values())


# -- crashes, and two at once ---------------------------------------------------------------------


def fail(*_args):
    raise RuntimeError("power cut")


def interrupt(monkeypatch, step):
    monkeypatch.setattr(minute_draws, step, fail)


@pytest.mark.parametrize("step", ["_save_order", "_give_numbers"])
def test_an_interrupted_draw_goes_on_with_the_same_people_and_seed(line, start, step, monkeypatch):
    join_all(line, FIRST, start + seconds(5))
    interrupt(monkeypatch, step)
    tick(start + seconds(60))
    before = MinuteDraw.objects.get()
    services.leave(event_id=line.pk, person="3", now=start + seconds(61))
    monkeypatch.undo()

    tick(start + seconds(62))

    after = MinuteDraw.objects.get()
    assert after.finished_at
    assert after.entries_sha256 == before.entries_sha256
    assert sorted(after.people) == sorted(FIRST)
    found = numbers(line, after.people, start)
    assert [number for number in found if number] == [
        number for number, person in enumerate(after.people, 1) if person != "3"
    ]
    assert all(checks(line).values())


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("step", "nth"), [("minute_people", 1), ("draw", 1), ("draw", 2), ("finish_minute", 1)]
)
def test_a_killed_worker_changes_nothing_about_the_draw(line, start, step, nth, after):
    people = [str(person) for person in range(1, 151)]
    join_all(line, people, start + seconds(5))
    store.run(store.configure(line.pk, draws.rules_of(line, drawing=False), start + seconds(60)))
    work = {"job": "draw_minutes", "event_id": line.pk, "now": (start + seconds(60)).isoformat()}

    assert run_until_killed(**work, step=step, nth=nth, after=after) == KILLED
    join_all(line, ["999"], start + seconds(61))
    tick(start + seconds(62))

    draw = MinuteDraw.objects.get()
    assert draw.finished_at
    assert numbers(line, draw.people, start) == list(range(1, 151))
    assert store.undrawn_minutes(line.pk) == {}
    assert all(checks(line).values())
    tick(start + seconds(120))
    assert numbers(line, ["999"], start) == [151]


def test_of_many_tickers_at_once_each_person_gets_one_number(line, start):
    join_all(line, FIRST, start + seconds(5))

    results = together(4, lambda _: services.tick_open_queues(now=start + seconds(60)))
    tick(start + seconds(61))

    assert len(winners(results)) == 4
    services.drain_journals()
    joins = QueueJournal.objects.filter(kind="join").values_list("person", "number")
    assert sorted(number for _, number in joins) == list(range(1, 21))
    assert [str(person) for person, _ in sorted(joins, key=lambda join: join[1])] == (
        MinuteDraw.objects.get().people
    )


def test_joins_and_ticks_at_once_around_the_end_lose_nobody(line, start):
    people = [*FIRST, *SECOND, *THIRD]

    def work(number):
        moment = start + seconds(59.9 if number % 2 else 60.1)
        for person in people[number::4]:
            services.join(event_id=line.pk, person=person, now=moment)
            services.tick_open_queues(now=moment)

    assert together(4, work) == [None] * 4
    tick(start + seconds(120))

    assert sorted(numbers(line, people, start)) == list(range(1, 61))
    assert all(checks(line).values())


def test_a_minute_has_one_draw(line, start):
    row = {"queue": line, "minute": 1, "at": start, "first_number": 1, "size": 0}
    MinuteDraw.objects.create(**row)

    with pytest.raises(IntegrityError, match="a_minute_is_drawn_once"), transaction.atomic():
        MinuteDraw.objects.create(**row)


# -- rebuilt from the journal ---------------------------------------------------------------------


def lose_redis():
    services.drain_journals()
    redis.queue_client().flushdb()


def test_those_of_a_minute_that_ran_are_drawn_after_a_rebuild(line, start):
    join_all(line, FIRST, start + seconds(5))
    tick(start + seconds(60))
    join_all(line, SECOND, start + seconds(65))
    before = numbers(line, FIRST, start)
    lose_redis()

    tick(start + seconds(70))  # finds the loss and rebuilds
    tick(start + seconds(71))

    assert numbers(line, FIRST, start) == before
    assert min(numbers(line, SECOND, start)) > 20
    assert all(checks(line).values())
    join_all(line, THIRD, start + seconds(72))
    tick(start + seconds(120))
    assert min(numbers(line, THIRD, start)) > max(numbers(line, SECOND, start))


@pytest.mark.parametrize("step", ["_fix_people", "_save_order", "_give_numbers"])
def test_a_draw_that_was_interrupted_is_finished_after_a_rebuild(line, start, step, monkeypatch):
    join_all(line, FIRST, start + seconds(5))
    interrupt(monkeypatch, step)
    tick(start + seconds(60))
    set_mode(line, Mode.FIRST_COME, start + seconds(61))
    services.join(event_id=line.pk, person="99", now=start + seconds(62))
    lose_redis()
    monkeypatch.undo()

    tick(start + seconds(70))
    tick(start + seconds(71))

    assert sorted(numbers(line, FIRST, start)) == list(range(1, 21))
    assert numbers(line, ["99"], start) == [21]
    assert all(checks(line).values())


def test_numbers_that_were_given_and_lost_are_given_again(line, start):
    """Redis is lost after the draw is finished and before its numbers are journalled."""
    join_all(line, FIRST, start + seconds(5))
    services.drain_journals()
    tick(start + seconds(60))
    before = numbers(line, FIRST, start)
    redis.queue_client().flushdb()

    tick(start + seconds(61))
    tick(start + seconds(62))

    assert numbers(line, FIRST, start) == before


def test_control_without_the_draws_nobody_would_get_their_number_back(line, start):
    join_all(line, FIRST, start + seconds(5))
    services.drain_journals()
    tick(start + seconds(60))
    before = numbers(line, FIRST, start)
    redis.queue_client().flushdb()
    MinuteDraw.objects.all().delete()

    tick(start + seconds(61))
    tick(start + seconds(62))

    assert numbers(line, FIRST, start) != before


def test_a_newcomer_whom_no_journal_knows_comes_back_with_the_token(line, start):
    services.drain_journals()
    join_all(line, FIRST, start + seconds(5))
    found = store.run(store.peek(line.pk, "1", start + seconds(5)))
    token = services.token_of(line.pk, "1", found)
    redis.queue_client().flushdb()
    tick(start + seconds(6))

    back = services.standing(
        event_id=line.pk,
        person="1",
        now=start + seconds(7),
        token=read_token(token),
    )

    assert back.state == "lobby"
    tick(start + seconds(60))
    assert states(line, ["1"], start) == {"waiting"}


def test_everybody_is_counted_once_after_a_rebuild(line, start):
    join_all(line, FIRST, start + seconds(5))
    tick(start + seconds(60))
    join_all(line, SECOND, start + seconds(65))
    lose_redis()
    tick(start + seconds(70))

    assert store.run(store.snapshot(line.pk))["joined"] == "40"


# -- verification ---------------------------------------------------------------------------------


def test_each_secret_leads_to_the_one_before_and_to_the_commitment(line, start):
    for minute, people in enumerate((FIRST, SECOND)):
        join_all(line, people, start + seconds(60 * minute + 5))
        tick(start + seconds(60 * minute + 60))

    first, second = MinuteDraw.objects.order_by("minute")
    assert selectors.text_hash(first.secret) == line.minutes_sha256
    assert selectors.text_hash(second.secret) == first.secret
    assert minute_secret(line.minute_secrets, 3) not in str(selectors.published_draw(line))
    assert hashed(minute_secret(line.minute_secrets, 3), 3) == line.minutes_sha256


def test_a_minute_is_not_published_before_it_is_drawn(line, start, monkeypatch):
    join_all(line, FIRST, start + seconds(5))
    interrupt(monkeypatch, "_give_numbers")
    tick(start + seconds(60))

    published = selectors.published_draw(SaleQueue.objects.get())

    assert published["minutes"] == []
    assert MinuteDraw.objects.get().secret not in str(published)


def swap_entries(published):
    entries = published["minutes"][1]["entries"]
    entries[0], entries[1] = entries[1], entries[0]


def another_secret(published):
    published["minutes"][1]["secret"] = "0" * 64


def another_seed(published):
    published["minutes"][0]["seed"] = "0" * 64


def without_one(published):
    published["minutes"][0]["entries"].pop()


def numbers_in_front(published):
    published["minutes"][1]["first_number"] = 3


@pytest.mark.parametrize(
    ("forge", "found_by"),
    [
        (swap_entries, {"minute_orders"}),
        (another_secret, {"minute_secrets", "minute_seeds"}),
        (another_seed, {"minute_seeds", "minute_orders"}),
        (without_one, {"minute_entries"}),
        (numbers_in_front, {"minute_numbers"}),
    ],
)
def test_control_a_forged_minute_is_found(line, start, forge, found_by):
    for minute, people in enumerate((FIRST, SECOND)):
        join_all(line, people, start + seconds(60 * minute + 5))
        tick(start + seconds(60 * minute + 60))
    published = selectors.published_draw(SaleQueue.objects.get())
    forge(published)

    failed = {check.code for check in selectors.draw_checks(published) if not check.passed}

    assert failed >= found_by


def test_a_new_key_changes_no_secret(line, settings):
    before, commitment = minute_secret(line.minute_secrets, 7), line.minutes_sha256
    settings.DRAW_KEY = "a new key, long enough to be one"

    services.renew_keys()

    after = SaleQueue.objects.get()
    settings.SECRET_KEY = "another"
    assert after.minutes_sha256 == commitment
    assert minute_secret(after.minute_secrets, 7) == before


def test_after_the_last_secret_places_are_given_by_order_of_arrival(line, start, monkeypatch):
    monkeypatch.setattr(minute_draws, "MINUTES", 1)
    join_all(line, FIRST, start + seconds(5))

    tick(start + seconds(60))

    assert SaleQueue.objects.get().mode == Mode.FIRST_COME
    assert QueueChange.objects.filter(what="mode", after="first_come", by=None).exists()
    assert sorted(numbers(line, FIRST, start)) == list(range(1, 21))
