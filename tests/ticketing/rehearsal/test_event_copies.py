"""A copy is like its original in everything but its sales, its times and who comes across it."""

from datetime import timedelta

import pytest

from payments.models import RefundPolicy
from tests.making import make_event, make_user, seat_ids
from tests.reservations.acting import hold
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.events.models import Event, EventChange
from ticketing.events.services import move_event, open_due_sales
from ticketing.rehearsal import errors, selectors, services
from ticketing.rehearsal.models import Rehearsal
from waiting_queue.models import SaleQueue
from waiting_queue.services import tick_open_queues

pytestmark = pytest.mark.django_db


@pytest.fixture
def begin(operator, now):
    def start(event, **options):
        chosen = OPTIONS | options
        return services.start_rehearsal(
            event_id=event and event.pk, options=chosen, by=operator, now=now
        )

    return start


@pytest.fixture
def copy(begin, sale):
    return Event.objects.get(pk=begin(sale).copy)


def test_seats_prices_and_rules_are_the_same(copy, sale):
    def seats(event):
        return list(
            event.seats.order_by("place_id").values_list(
                "place", "state", "grade__code", "distance"
            )
        )

    def prices(event):
        return list(event.grades.values_list("code", "price", "colour"))

    assert seats(copy) == seats(sale)
    assert prices(copy) == prices(sale)
    assert (copy.seats_per_person, copy.hold_seconds) == (3, 120)
    assert RefundPolicy.objects.get(event=copy).tiers == [[5, 50]]
    assert (copy.plan, copy.rehearsal_of) == (sale.plan, sale)


def test_sales_are_not_copied(begin, event, now):
    hold(event, make_user(), now, *seat_ids(event)[:2])

    copy = Event.objects.get(pk=begin(event).copy)

    assert not copy.reservations.exists()
    assert copy.seats.filter(state="available").count() == 12


def test_the_queue_is_the_same_but_for_what_was_asked(copy):
    queue = SaleQueue.objects.get(pk=copy.pk)

    assert (queue.max_inside, queue.admit_per_second, queue.mode) == (77, 0, "draw")


def test_the_draw_has_a_secret_of_its_own_and_a_public_value_like_the_original(begin, sale, now):
    SaleQueue.objects.filter(pk=sale.pk).update(public_value_source="lottery", public_value="7 11")

    rehearsal = begin(sale)

    copied, original = SaleQueue.objects.get(pk=rehearsal.copy), SaleQueue.objects.get(pk=sale.pk)
    assert (copied.public_value_source, copied.public_value) == ("lottery", "rehearsal")
    assert copied.secret_sha256 != original.secret_sha256
    setting = selectors.setting(rehearsal, now)
    assert setting["secret_sha256"] == copied.secret_sha256
    assert setting["public_value"] == "rehearsal"


def test_nothing_opens_by_the_clock(copy, now):
    later = now + timedelta(hours=2)

    open_due_sales(now=later)
    tick_open_queues(now=later)

    copy.refresh_from_db()
    assert (copy.state, copy.queue.state) == ("announced", "scheduled")


def test_control_the_original_opens_by_the_clock(copy, sale, now):
    """Hours later, when the copy is long gone."""
    open_due_sales(now=sale.on_sale_at)

    sale.refresh_from_db()
    assert sale.state == "on_sale"


def test_its_number_is_one_that_nobody_guesses(copy):
    assert 10**14 <= copy.pk < 9 * 10**15


def test_who_did_it_is_noted_beside_the_original(copy, sale, operator):
    note = EventChange.objects.get(event=sale, what="rehearsal")

    assert (note.by, note.after) == (operator, Rehearsal.objects.get().code)


def test_the_next_sale_is_chosen_where_none_is_named(begin, sale, event):
    assert begin(None).source == sale


def test_without_a_coming_sale_there_is_nothing_to_choose(begin, event):
    with pytest.raises(errors.NoUpcomingSale):
        begin(None)


def test_an_event_that_is_over_can_be_rehearsed(begin, now):
    past = {"on_sale_at": now - timedelta(days=9), "doors_at": now - timedelta(days=2)}
    old = make_event(now, starts_at=now - timedelta(days=2), ends_at=now, **past)

    copy = Event.objects.get(pk=begin(old).copy)

    assert now < copy.on_sale_at < copy.doors_at <= copy.starts_at < copy.ends_at


def test_a_rehearsal_is_not_rehearsed(begin, copy):
    with pytest.raises(errors.RehearsalOfRehearsal):
        begin(copy)


def test_an_event_that_is_not_there_is_not_found(begin, event):
    event.pk = 987_654

    with pytest.raises(NotFound):
        begin(event)


def test_bad_knobs_leave_nothing_behind(begin, sale):
    with pytest.raises(InvalidInput):
        begin(sale, knobs={"pass_seconds": 500, "pass_max_seconds": 20})

    assert Event.objects.get() == sale
    assert not Rehearsal.objects.exists()


@pytest.mark.parametrize(
    ("moves", "queue", "event"),
    [
        (["lobby"], "lobby", "announced"),
        (["lobby", "open"], "open", "on_sale"),
        (["open", "pause"], "paused", "on_sale"),
        (["open", "pause", "resume"], "open", "on_sale"),
        (["open", "drain"], "draining", "on_sale"),
        (["open", "close", "close"], "closed", "closed"),
        (["lobby", "close"], "closed", "closed"),
    ],
)
def test_moves_take_queue_and_event_along(begin, sale, now, moves, queue, event):
    rehearsal = begin(sale)

    for move in moves:
        state = services.move_sale(code=rehearsal.code, to=move, by=None, now=now)

    assert state == queue
    assert SaleQueue.objects.get(pk=rehearsal.copy).state == queue
    assert Event.objects.get(pk=rehearsal.copy).state == event


def test_the_runner_gets_the_settings(begin, sale, now):
    setting = selectors.setting(begin(sale), now)

    assert (setting["seats"], setting["limit_per_person"], setting["fans"]) == (10, 3, 5)
    assert setting["title"]["en"].startswith("[Rehearsal] Moonlight")
    assert setting["knobs"]["max_inside"] == 77


def test_a_real_event_can_be_moved_meanwhile(copy, sale, operator, now):
    move_event(event_id=sale.pk, to=Event.State.ON_SALE, by=operator, now=now)

    copy.refresh_from_db()
    assert copy.state == "announced"
