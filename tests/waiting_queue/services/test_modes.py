"""The mode of a queue: how people get their places, and when it can be changed."""

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import translation

from tests.race import together
from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core.errors import InvalidInput
from ticketing.events.models import Event, Seat
from waiting_queue import errors, selectors, services, store
from waiting_queue.models import QueueChange, QueueJournal, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
Mode, State = SaleQueue.Mode, SaleQueue.State
PEOPLE = [str(number) for number in range(1, 31)]


def set_mode(queue, mode, now, **knobs):
    return services.set_knobs(event_id=queue.pk, knobs={"mode": mode, **knobs}, by=None, now=now)


def states(queue, people, now):
    return [store.run(store.peek(queue.pk, person, now)).state for person in people]


def tick(now):
    return services.tick_open_queues(now=now)


@pytest.fixture
def small(open_queue, now) -> SaleQueue:
    """Open, for three people inside, one a second."""
    knobs = {"max_inside": 3, "admit_per_second": 1}
    services.set_knobs(event_id=open_queue.pk, knobs=knobs, by=None, now=now)
    tick(now)
    return open_queue


# -- when it can be changed -----------------------------------------------------------------------


@pytest.mark.parametrize("mode", Mode)
def test_before_the_lobby_opens_any_mode_can_be_chosen(queue, operator, now, mode):
    set_mode(queue, Mode.CLOSED, now)
    set_mode(queue, mode, now)

    assert SaleQueue.objects.get().mode == mode


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode != Mode.DRAW])
@pytest.mark.parametrize("state", [State.LOBBY, State.DRAINING, State.CLOSED])
def test_while_people_rely_on_it_the_mode_is_fixed(queue, now, mode, state):
    SaleQueue.objects.update(state=state)

    with translation.override("en"), pytest.raises(InvalidInput) as refusal:
        set_mode(queue, mode, now)

    assert "while the queue is" in str(refusal.value.details["fields"]["mode"])
    assert SaleQueue.objects.get().mode == Mode.DRAW


def test_a_line_that_is_open_has_no_lobby_to_draw(open_queue, now):
    set_mode(open_queue, Mode.PASSTHROUGH, now)

    with translation.override("en"), pytest.raises(InvalidInput) as refusal:
        set_mode(open_queue, Mode.DRAW, now)

    assert "no lobby any more" in str(refusal.value.details["fields"]["mode"])


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        (State.SCHEDULED, set(Mode)),
        (State.LOBBY, {Mode.CLOSED}),
        (State.OPEN, set(Mode) - {Mode.DRAW}),
        (State.PAUSED, set(Mode) - {Mode.DRAW}),
        (State.DRAINING, {Mode.CLOSED}),
    ],
)
def test_forms_offer_what_can_be_chosen(state, offered):
    choices = services.mode_choices(SaleQueue(state=state, mode=Mode.CLOSED))

    assert choices[0][0] == Mode.CLOSED
    assert {mode for mode, _ in choices} == offered


def test_a_change_is_recorded_and_works_before_the_next_tick(small, operator, now):
    services.set_knobs(
        event_id=small.pk, knobs={"mode": "closed"}, by=operator, why="overload", now=now
    )

    with pytest.raises(errors.QueueOver):
        services.join(event_id=small.pk, person="1", now=now)
    change = QueueChange.objects.get(what="mode")
    assert (change.before, change.after, change.why) == ("draw", "closed", "overload")
    assert change.by == operator


def test_what_commits_to_the_secrets_of_minutes_is_there_as_soon_as_the_mode_is(queue, now):
    assert not queue.minutes_sha256

    committed = set_mode(queue, Mode.MINUTE_DRAW, now).minutes_sha256

    assert selectors.published_draw(SaleQueue.objects.get())["minutes_sha256"] == committed
    set_mode(queue, Mode.FIRST_COME, now)
    assert set_mode(queue, Mode.MINUTE_DRAW, now).minutes_sha256 == committed


# -- passthrough ----------------------------------------------------------------------------------


def test_passthrough_lets_everybody_in_at_once_and_counts_them(small, now):
    set_mode(small, Mode.PASSTHROUGH, now)

    found = join_all(small, PEOPLE, now)

    assert {one.state for one in found} == {"admitted"}
    counts = store.run(store.snapshot(small.pk))
    assert (counts["inside"], counts["admitted"], counts["joined"]) == ("30", "30", "30")
    services.drain_journals()
    assert QueueJournal.objects.filter(kind="admit").count() == 30


def test_control_with_a_line_as_many_come_in_as_there_are_places(small, now):
    join_all(small, PEOPLE, now)
    for second in range(1, 6):
        tick(now + seconds(second))

    assert states(small, PEOPLE, now).count("waiting") == 27


def test_people_who_join_at_once_are_each_inside_once(small, now):
    set_mode(small, Mode.PASSTHROUGH, now)

    together(4, lambda number: join_all(small, PEOPLE[number % 2 :: 2], now))

    assert states(small, PEOPLE, now) == ["admitted"] * 30
    assert store.run(store.snapshot(small.pk))["admitted"] == "30"


def test_on_overload_a_line_forms_until_there_is_room_again(small, now):
    set_mode(small, Mode.PASSTHROUGH, now)
    join_all(small, PEOPLE[:10], now)

    set_mode(small, Mode.FIRST_COME, now + seconds(1))
    late = services.join(event_id=small.pk, person="11", now=now + seconds(1))
    tick(now + seconds(2))

    assert (late.state, late.number) == ("waiting", 11)
    assert states(small, ["11"], now) == ["waiting"]
    for person in PEOPLE[:8]:
        services.leave(event_id=small.pk, person=person, now=now + seconds(3))
    tick(now + seconds(4))
    assert states(small, ["11"], now + seconds(4)) == ["ready"]


def test_those_who_wait_when_it_is_chosen_are_called_by_the_next_tick(small, now):
    join_all(small, PEOPLE, now)
    assert "waiting" in states(small, PEOPLE, now)

    set_mode(small, Mode.PASSTHROUGH, now)
    newcomer = services.join(event_id=small.pk, person="99", now=now)
    tick(now + seconds(1))

    assert newcomer.state == "admitted"
    assert "waiting" not in states(small, PEOPLE, now + seconds(1))


def test_where_nothing_can_be_bought_nobody_comes_in(small, now):
    set_mode(small, Mode.PASSTHROUGH, now)
    Seat.objects.update(state="sold")
    tick(now + seconds(1))

    assert services.join(event_id=small.pk, person="1", now=now).state == "waiting"


def test_while_the_sale_is_paused_nobody_comes_in(small, now):
    set_mode(small, Mode.PASSTHROUGH, now)
    Event.objects.update(state=Event.State.PAUSED)
    tick(now + seconds(1))

    assert services.join(event_id=small.pk, person="1", now=now).state == "waiting"


def test_after_a_rebuild_everybody_is_still_inside(small, now):
    set_mode(small, Mode.PASSTHROUGH, now)
    join_all(small, PEOPLE, now)

    services.rebuild_queue_on_request(event_id=small.pk, by=None, now=now + seconds(1))

    assert states(small, PEOPLE, now + seconds(1)) == ["admitted"] * 30
    assert services.join(event_id=small.pk, person="99", now=now).state == "admitted"


# -- closed ---------------------------------------------------------------------------------------


def test_in_a_closed_line_nobody_joins_nobody_is_called_and_places_stay(small, now):
    join_all(small, PEOPLE[:5], now)
    before = states(small, PEOPLE[:5], now)
    set_mode(small, Mode.CLOSED, now)

    for second in range(1, 4):
        assert not tick(now + seconds(second))[small.pk].called
    with pytest.raises(errors.QueueOver):
        services.join(event_id=small.pk, person="99", now=now)
    assert services.join(event_id=small.pk, person="5", now=now).state == before[4]
    assert states(small, PEOPLE[:5], now) == before

    set_mode(small, Mode.FIRST_COME, now + seconds(3))
    assert tick(now + seconds(4))[small.pk].called == [PEOPLE[before.index("waiting")]]


def test_a_closed_lobby_takes_nobody(queue, operator, now):
    set_mode(queue, Mode.CLOSED, now)
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)

    with pytest.raises(errors.QueueOver):
        services.join(event_id=queue.pk, person="1", now=now)


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (Mode.PASSTHROUGH, "Everybody comes in at once"),
        (Mode.CLOSED, "Nobody can join"),
        (Mode.FIRST_COME, "will not be reached"),
    ],
)
def test_operators_are_told_where_the_knobs_do_not_count(small, now, mode, words):
    queue = set_mode(small, mode, now)

    with translation.override("en"):
        warnings = selectors.queue_warnings(queue, selectors.overview(queue, now=now))

    assert any(words in warning for warning in warnings)


# -- from before ----------------------------------------------------------------------------------


def test_queues_from_before_get_the_mode_that_their_flag_meant(queue):
    migration = import_module("waiting_queue.migrations.0010_modes")
    SaleQueue.objects.update(shuffle_lobby=False)

    migration.fill_mode(apps, None)

    assert SaleQueue.objects.get().mode == Mode.FIRST_COME


@pytest.mark.parametrize(("mode", "flag"), [("first_come", False), ("draw", True)])
def test_a_process_of_the_previous_release_reads_the_mode_as_its_flag(queue, now, mode, flag):
    set_mode(queue, Mode.CLOSED, now)

    assert set_mode(queue, mode, now).shuffle_lobby is flag
