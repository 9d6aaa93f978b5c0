"""Somebody edits a plan while an event copies its places, with and without the row lock."""

from threading import Barrier
from threading import Event as Signal

import pytest
from django.db import IntegrityError, transaction

from tests.making import make_event, make_plan
from tests.race import together, wait_unless_blocking, winners
from tests.waiting import PATIENCE
from ticketing.events.models import Place
from ticketing.events.plans.errors import PlanChanged, PlanInUse
from ticketing.events.plans.json_file import write_json
from ticketing.events.plans.stored import stored_draft
from ticketing.events.services import plans
from ticketing.events.services import seats as seat_services

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 8


@pytest.fixture
def plan():
    return make_plan()


def content_of(plan):
    return write_json(stored_draft(plan)).encode()


def edit(plan, content):
    return plans.edit_plan(plan_id=plan.pk, revision=0, content=content, by=None)


def copy_during_an_edit(plan, now, monkeypatch):
    """What the copy and the edit came to, if the edit begins before the copy is committed."""
    copied, edited, content = Signal(), Signal(), content_of(plan)
    record_change = seat_services.record_change

    def hold_open(**change):
        copied.set()
        wait_unless_blocking(edited.is_set)
        return record_change(**change)

    def act(number):
        if number == 0:
            with transaction.atomic():
                return make_event(now, plan=plan)
        copied.wait(PATIENCE)
        try:
            return edit(plan, content)
        finally:
            edited.set()

    monkeypatch.setattr(seat_services, "record_change", hold_open)
    return together(2, act)


def test_an_edit_waits_for_the_event_that_copies_the_plan(plan, now, monkeypatch):
    event, refusal = copy_during_an_edit(plan, now, monkeypatch)

    assert isinstance(refusal, PlanInUse)
    assert event.seats.count() == Place.objects.filter(section__plan=plan).count() == 12


def test_control_without_the_lock_the_places_are_gone(plan, now, monkeypatch):
    monkeypatch.setattr(seat_services, "plan_for_update", lambda plan_id: None)

    refusal, edited = copy_during_an_edit(plan, now, monkeypatch)

    assert isinstance(refusal, IntegrityError)
    assert edited == plan


def test_of_many_edits_of_one_revision_one_is_stored(plan):
    content = content_of(plan)  # who reads it while it is stored sees a part of it

    results = together(MANY, lambda _: edit(plan, content))

    assert len(winners(results)) == 1
    assert sum(isinstance(result, PlanChanged) for result in results) == MANY - 1


def test_control_without_the_lock_edits_overwrite_or_break_each_other(plan, monkeypatch):
    all_have_read, content = Barrier(MANY), content_of(plan)

    def without_lock(plan_id):
        found = type(plan).objects.get(pk=plan_id)
        all_have_read.wait(PATIENCE)
        return found

    monkeypatch.setattr(plans, "plan_for_update", without_lock)

    results = together(MANY, lambda _: edit(plan, content))

    assert not any(isinstance(result, PlanChanged) for result in results)
