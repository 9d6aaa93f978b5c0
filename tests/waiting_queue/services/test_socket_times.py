"""When newcomers open their sockets: in a crowd, when every process knows their numbers."""

from dataclasses import replace

import pytest

from ticketing.core import clock
from waiting_queue import services
from waiting_queue.services import challenges, socket_times
from waiting_queue.services.socket_times import CROWD_JOINS
from waiting_queue.store import Standing

EVENT = 7


@pytest.fixture(autouse=True)
def slot(monkeypatch) -> list[int]:
    """The milliseconds until the next slot for a socket."""
    wait = [0]
    monkeypatch.setattr(socket_times.socket_slots, "take", lambda moment: wait[0])
    return wait


@pytest.fixture
def joined() -> Standing:
    return Standing("waiting", 9, 8, 0, 0, 9, 0, "open", "", "e", 0, 0, just_joined=True)


def tell_joins(joins: int) -> None:
    challenges._joins[EVENT] = clock.monotonic() + 1, joins


@pytest.mark.parametrize("joins", [0, CROWD_JOINS - 1])
def test_few_newcomers_open_their_socket_at_once(joined, joins):
    tell_joins(joins)

    assert services.socket_after_ms(EVENT, joined) == 0


def test_in_a_crowd_they_wait_for_the_next_tick(joined, settings):
    settings.TICK_MS = 700
    tell_joins(CROWD_JOINS)

    assert services.socket_after_ms(EVENT, joined) == 700


def test_a_later_slot_stays_later(joined, monkeypatch):
    monkeypatch.setattr(
        "waiting_queue.services.socket_times.socket_slots.take", lambda moment: 2_400
    )
    tell_joins(CROWD_JOINS)

    assert services.socket_after_ms(EVENT, joined) == 2_400


@pytest.mark.parametrize("change", [{"just_joined": False}, {"state": "ready"}, {"state": "lobby"}])
def test_whoever_has_a_number_already_or_none_yet_does_not_wait(joined, change):
    tell_joins(CROWD_JOINS)

    assert services.socket_after_ms(EVENT, replace(joined, **change)) == 0
