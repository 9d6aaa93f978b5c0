"""What the database itself refuses, whatever the code says."""

import pytest
from django.db import IntegrityError

from tests.waiting_queue.lanes import add_codes, add_lane
from waiting_queue.models import Lane, LaneKey, PlaceSignals


def again(row):
    """The same row under a new key."""
    row.pk = None
    row._state.adding = True
    row.save()


@pytest.mark.parametrize("wrong", [{"number": 0}, {"key": Lane.Key.NONE}])
def test_only_lane_0_is_for_everybody(queue, now, wrong):
    lane = add_lane(queue, now)

    with pytest.raises(IntegrityError, match="only_lane_0_is_for_everybody"):
        Lane.objects.filter(pk=lane.pk).update(**wrong)


def test_a_lane_has_a_number_of_its_own(queue, now):
    with pytest.raises(IntegrityError, match="one_lane_of_a_number"):
        again(add_lane(queue, now))


def test_a_key_is_in_its_lane_once(queue, now):
    add_codes(add_lane(queue, now), now)

    with pytest.raises(IntegrityError, match="a_key_is_in_its_lane_once"):
        again(LaneKey.objects.get())


def test_signals_are_kept_once(queue, now):
    signals = PlaceSignals(event=queue.event, person=1, at=now, entry="1-0")
    signals.save()

    with pytest.raises(IntegrityError, match="signals_are_kept_once"):
        again(signals)
