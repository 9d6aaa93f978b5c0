"""Two starts at once, and a clean-up while people are still being made."""

from threading import Event as Signal

import pytest
from django.db import IntegrityError, connection

from tests.race import together, winners
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.events.models import Event
from ticketing.rehearsal import services
from ticketing.rehearsal.errors import RehearsalAlreadyRunning
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services import runner_contact

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 4
# Long enough for a clean-up that does not wait.
A_WHILE = 2.0


@pytest.fixture
def unconstrained():
    """The control: nothing in the database says that there is one at a time."""
    (one,) = [it for it in Rehearsal._meta.constraints if it.name == "one_rehearsal_at_a_time"]
    with connection.schema_editor() as editor:
        editor.remove_constraint(Rehearsal, one)
    yield
    Rehearsal.objects.all().delete()
    with connection.schema_editor() as editor:
        editor.add_constraint(Rehearsal, one)


def start_together(sale, operator, now):
    one = {"event_id": sale.pk, "options": OPTIONS, "by": operator, "now": now}
    return together(MANY, lambda _: services.start_rehearsal(**one))


def test_of_many_who_start_at_once_one_does(sale, operator, now):
    results = start_together(sale, operator, now)

    assert len(winners(results)) == 1
    assert sum(isinstance(it, RehearsalAlreadyRunning) for it in results) == MANY - 1
    assert Event.objects.count() == 2


def test_control_without_the_constraint_all_of_them_do(sale, operator, now, unconstrained):
    results = start_together(sale, operator, now)

    assert len(winners(results)) == MANY
    assert Event.objects.count() == 1 + MANY


@pytest.fixture
def made_slowly(monkeypatch):
    """People take a while to be made; the signal says that it has begun."""
    begun, go_on, quickly = Signal(), Signal(), accounts.create_users

    def slowly(**who):
        begun.set()
        go_on.wait(A_WHILE)
        return quickly(**who)

    monkeypatch.setattr(accounts, "create_users", slowly)
    return begun, go_on


def make_and_clean_up_together(code, signals, now):
    begun, go_on = signals

    def work(number):
        if number == 0:
            return services.make_people(code=code, numbers=range(3), now=now)
        begun.wait(60)
        left = services.clean_up_rehearsal(code=code, now=now)
        go_on.set()
        return left

    return together(2, work)


def test_a_clean_up_waits_for_people_who_are_being_made(sale, operator, now, made_slowly):
    begun = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)

    people, left = make_and_clean_up_together(begun.code, made_slowly, now)

    assert len(people) == 3
    assert not any(left.values())
    assert not User.objects.filter(email__endswith=begun.domain).exists()


def test_control_without_the_lock_they_stay_behind(sale, operator, now, made_slowly, monkeypatch):
    begun = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)
    monkeypatch.setattr(
        runner_contact, "rehearsal_for_update", lambda code: Rehearsal.objects.get(code=code)
    )

    make_and_clean_up_together(begun.code, made_slowly, now)

    assert User.objects.filter(email__endswith=begun.domain).count() == 3


def test_two_clean_ups_at_once_are_one(sale, operator, now):
    begun = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)
    services.make_people(code=begun.code, numbers=range(3), now=now)
    services.move_sale(code=begun.code, to="open", by=None, now=now)

    left = together(3, lambda _: services.clean_up_rehearsal(code=begun.code, now=now))

    assert [sum(each.values()) for each in left] == [0, 0, 0]
    assert Event.objects.get() == sale


def test_a_rehearsal_is_in_a_known_state(sale, operator, now):
    services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)

    with pytest.raises(IntegrityError, match="a_rehearsal_is_in_a_known_state"):
        Rehearsal.objects.update(state="lost")
