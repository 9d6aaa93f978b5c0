"""The sale and its line are operated as one: open, stop, close, open again, reset."""

import pytest

from tests.race import together, winners
from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core.errors import IllegalMove
from ticketing.events.models import Event
from waiting_queue import errors, selectors, services, store
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue
from waiting_queue.services import sales

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State
MANY = 6


@pytest.fixture
def audit(operator, now):
    return {"by": operator, "why": "test", "now": now}


def states(queue):
    event, line = Event.objects.get(pk=queue.pk), SaleQueue.objects.get(pk=queue.pk)
    return event.state, line.state


def status(queue):
    return selectors.sale_status(SaleQueue.objects.select_related("event").get(pk=queue.pk))


def moves(queue):
    return selectors.sale_moves(SaleQueue.objects.select_related("event").get(pk=queue.pk))


def test_opening_the_line_opens_the_sale(queue, audit):
    Event.objects.update(state="announced")

    services.move_sale(event_id=queue.pk, to="open", **audit)

    assert states(queue) == ("on_sale", "open")


def test_a_stopped_sale_says_so_everywhere_and_calls_nobody(open_queue, audit, now):
    services.move_queue(event_id=open_queue.pk, to="paused", **audit)
    join_all(open_queue, ["1"], now)
    services.move_sale(event_id=open_queue.pk, to="open", **audit)
    services.move_sale(event_id=open_queue.pk, to="stopped", **audit)

    called = services.tick_open_queues(now=now + seconds(5))[open_queue.pk].called

    assert (called, status(open_queue)) == ([], "stopped")
    standing = store.run(store.peek(open_queue.pk, "1", now))
    assert (standing.state, standing.queue_state) == ("waiting", "paused")


def test_one_press_resumes_both(open_queue, audit, now):
    services.move_sale(event_id=open_queue.pk, to="stopped", **audit)

    services.move_sale(event_id=open_queue.pk, to="open", **audit)

    assert states(open_queue) == ("on_sale", "open")


def test_a_line_that_drains_goes_on_draining(open_queue, audit):
    services.move_queue(event_id=open_queue.pk, to="draining", **audit)
    services.move_sale(event_id=open_queue.pk, to="stopped", **audit)

    services.move_sale(event_id=open_queue.pk, to="open", **audit)

    assert states(open_queue) == ("on_sale", "draining")


@pytest.mark.parametrize(
    ("ends", "after", "word"),
    [(True, ("closed", "closed"), "over"), (False, ("on_sale", "closed"), "open_sale")],
)
def test_closing_says_what_follows(open_queue, audit, ends, after, word):
    services.move_sale(event_id=open_queue.pk, to="closed", ends=ends, **audit)

    assert (states(open_queue), status(open_queue)) == (after, word)


def test_a_lobby_that_is_closed_for_good_does_not_open_by_the_clock(queue, audit, now):
    Event.objects.update(state="announced", on_sale_at=now)
    services.move_queue(event_id=queue.pk, to="lobby", **audit)

    services.move_sale(event_id=queue.pk, to="closed", ends=True, **audit)
    services.tick_open_queues(now=now + seconds(1))

    assert states(queue) == ("closed", "closed")


def test_it_can_be_undone_with_a_new_line_whose_numbers_go_on(open_queue, operator, audit, now):
    join_all(open_queue, ["1", "2", "3"], now)
    old = SaleQueue.objects.get().epoch
    services.block(event_id=open_queue.pk, person="2", by=operator, why="bot", now=now)
    services.move_sale(event_id=open_queue.pk, to="closed", **audit)

    services.move_sale(event_id=open_queue.pk, to="open", **audit)

    assert states(open_queue) == ("on_sale", "open")
    assert SaleQueue.objects.get().epoch not in ("", old)
    assert join_all(open_queue, ["1"], now)[0].number == 4
    with pytest.raises(errors.Blocked):
        join_all(open_queue, ["2"], now)


def test_tokens_of_the_old_line_are_not_valid_in_the_new_one(open_queue, audit, now):
    old = join_all(open_queue, ["1"], now)[0]
    services.move_sale(event_id=open_queue.pk, to="closed", **audit)
    services.move_sale(event_id=open_queue.pk, to="open", **audit)
    new = join_all(open_queue, ["1"], now)[0]

    assert (old.epoch != new.epoch, new.number > old.number) == (True, True)


# -- reset ----------------------------------------------------------------------------------------


@pytest.fixture
def lobby(queue, audit, now):
    """Opened too early: three people are in it."""
    Event.objects.update(state="announced", on_sale_at=now + seconds(7200))
    services.move_queue(event_id=queue.pk, to="lobby", **audit)
    join_all(queue, ["1", "2", "3"], now)
    return queue


def test_before_it_begins_a_sale_can_be_reset(lobby, audit, now):
    before = SaleQueue.objects.get()

    services.move_sale(event_id=lobby.pk, to="scheduled", **audit)

    after = SaleQueue.objects.get()
    assert (states(lobby), after.epoch) == (("announced", "scheduled"), "")
    assert after.secret_sha256 != before.secret_sha256
    assert not QueueJournal.objects.exists()
    assert store.epoch_of(lobby.pk) is None


def test_also_after_the_draw(lobby, audit, now):
    services.move_queue(event_id=lobby.pk, to="open", **audit)
    services.tick_open_queues(now=now + seconds(1))

    services.move_sale(event_id=lobby.pk, to="scheduled", **audit)
    services.move_queue(event_id=lobby.pk, to="open", **audit)

    assert not QueueDraw.objects.exists()
    assert join_all(lobby, ["3"], now)[0].number == 1


def test_also_after_a_rebuild_that_set_numbers_aside(lobby, audit, now):
    services.rebuild_queue(event_id=lobby.pk, now=now, even_whole=True)
    assert SaleQueue.objects.get().numbers_from > 0

    services.move_sale(event_id=lobby.pk, to="scheduled", **audit)
    services.move_queue(event_id=lobby.pk, to="open", **audit)

    assert join_all(lobby, ["3"], now)[0].number == 1


def test_it_does_not_open_again_at_once(lobby, audit, now):
    SaleQueue.objects.update(lobby_opens_at=now - seconds(1), opens_at=now)

    services.move_sale(event_id=lobby.pk, to="scheduled", **audit)
    services.tick_open_queues(now=now + seconds(1))

    assert states(lobby) == ("announced", "scheduled")


def test_a_sale_that_has_begun_is_not_reset(open_queue, audit):
    with pytest.raises(errors.SaleHasBegun):
        services.move_sale(event_id=open_queue.pk, to="scheduled", **audit)

    assert states(open_queue) == ("on_sale", "open")


# -- what operators are offered -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event_state", "line", "offered"),
    [
        ("announced", "scheduled", ["lobby", "open", "closed"]),
        ("announced", "lobby", ["open", "closed", "scheduled"]),
        ("on_sale", "open", ["paused", "draining", "closed", "stopped"]),
        ("on_sale", "paused", ["open", "draining", "closed", "stopped"]),
        ("on_sale", "closed", ["open"]),
        ("sold_out", "open", ["paused", "draining", "closed"]),
        ("paused", "open", ["open", "closed"]),
        ("closed", "closed", ["open"]),
        ("cancelled", "closed", []),
    ],
)
def test_the_moves_of_sale_and_line(queue, event_state, line, offered):
    Event.objects.update(state=event_state)
    SaleQueue.objects.update(state=line)

    assert moves(queue) == offered


def test_what_is_not_offered_is_refused(open_queue, audit):
    services.move_sale(event_id=open_queue.pk, to="stopped", **audit)

    with pytest.raises(IllegalMove):
        services.move_sale(event_id=open_queue.pk, to="stopped", **audit)


# -- at the same moment ---------------------------------------------------------------------------


def test_who_joins_while_the_line_is_closed_and_opened_again_is_in_the_new_one_or_told(
    open_queue, audit, now
):
    """Nobody has a place in a line that is gone, and no number is given twice."""
    join_all(open_queue, ["1"], now)

    def work(number):
        if number:
            return services.join(event_id=open_queue.pk, person=str(100 + number), now=now)
        services.move_sale(event_id=open_queue.pk, to="closed", **audit)
        return services.move_sale(event_id=open_queue.pk, to="open", **audit)

    results = together(MANY, work)
    services.tick_open_queues(now=now + seconds(1))
    services.drain_journals()

    epoch = SaleQueue.objects.get().epoch
    refused = [result for result in results[1:] if isinstance(result, Exception)]
    assert {type(refusal) for refusal in refused} <= {errors.QueueOver, errors.QueueUnavailable}
    given = [found for found in results[1:] if not isinstance(found, Exception)]
    new = {found.number for found in given if found.epoch == epoch}
    places = [store.run(store.peek(open_queue.pk, str(100 + n), now)) for n in range(1, MANY)]
    assert {place.number for place in places if place.number} == new
    assert len({found.number for found in given}) == len(given)


def test_of_many_who_open_it_again_one_does(open_queue, audit):
    services.move_sale(event_id=open_queue.pk, to="closed", **audit)

    results = together(
        MANY, lambda _: services.move_sale(event_id=open_queue.pk, to="open", **audit)
    )

    assert len(winners(results)) == 1
    assert open_queue.changes.filter(before="closed", after="open").count() == 1


def test_a_line_that_is_still_being_closed_is_not_opened(open_queue, audit, monkeypatch):
    """Its archive, which erases the keys of a closed line, would take the new one away."""
    services.move_sale(event_id=open_queue.pk, to="closed", **audit)
    monkeypatch.setattr(sales, "_archive_closed_line", lambda *_: None)

    with pytest.raises(errors.LineIsClosing):
        services.move_sale(event_id=open_queue.pk, to="open", **audit)


def test_control_if_it_were_the_archive_would_take_the_new_line_away(
    open_queue, audit, now, monkeypatch
):
    services.move_sale(event_id=open_queue.pk, to="closed", **audit)
    SaleQueue.objects.update(epoch="")  # as if it had been archived
    services.move_sale(event_id=open_queue.pk, to="open", **audit)
    join_all(open_queue, ["1"], now)

    store.erase(open_queue.pk)  # what the archive does at its end

    with pytest.raises(errors.QueueUnavailable):
        services.standing(event_id=open_queue.pk, person="1", now=now)


def test_joining_a_stopped_sale_leads_to_the_line(queue, audit, now):
    SaleQueue.objects.update(admit_per_second=0)
    services.move_sale(event_id=queue.pk, to="open", **audit)
    services.move_sale(event_id=queue.pk, to="stopped", **audit)

    assert services.join(event_id=queue.pk, person="9", now=now).state == "waiting"
