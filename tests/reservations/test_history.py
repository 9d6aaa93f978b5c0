"""Many buyers in processes of their own, some of whom are killed: was it right at every moment?"""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from reservations import services
from reservations.models import Reservation
from tests import forks
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.reservations.functions import changed_function
from tests.reservations.history import (
    LEDGER,
    NO_LEDGER,
    Claim,
    Entry,
    claims,
    faults_of_claims,
    faults_of_ledger,
    ledger,
    run_sql,
)
from tests.soak import SOAK
from tests.waiting import wait_until
from ticketing.core import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak(scales=True)]
BUYER = "tests.reservations.crowd:run"
LIMIT, BUYERS, ROUNDS, CLAIMS_PER_ROUND = 3, 4, 2 * SOAK, 75


@pytest.fixture
def kept_ledger(transactional_db):
    run_sql(LEDGER)
    yield
    run_sql(NO_LEDGER)


@pytest.fixture
def without_constraint(transactional_db):
    run_sql("DROP INDEX one_live_reservation_per_seat")
    yield
    run_sql("TRUNCATE reservations_reservation CASCADE")
    run_sql(
        "CREATE UNIQUE INDEX one_live_reservation_per_seat ON reservations_reservedseat (seat_id) "
        "WHERE live"
    )


def facts(folder: Path) -> list[dict]:
    """Lines that were cut off with their writer are no facts."""
    lines = [line for file in folder.iterdir() for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines if line.endswith("}")]


def sell(folder: Path, *, rounds: int, enough: Any, careless: bool = False) -> None:
    """Rounds of buyers; once enough has happened in a round, all of them are killed."""
    # More seats than all could buy at once: returned seats of a sold-out event leave the open sale.
    plan = make_plan(rows=2, seats_per_row=12)
    event = make_event(clock.now(), plan=plan, seats_per_person=LIMIT, hold_seconds=1)
    fans = [make_user(password=None).pk for _ in range(6)]
    shared = {"event": event.pk, "fans": fans, "seats": seat_ids(event), "careless": careless}
    for number in range(rounds):
        logs = [folder / f"{number}-{buyer}" for buyer in range(BUYERS)]
        buyers = [forks.start(BUYER, **shared, log=str(log), seed=n) for n, log in enumerate(logs)]
        try:
            wait_until(lambda logs=logs: all(log.exists() for log in logs))
            wait_until(lambda number=number: enough(number + 1), seconds=180)
        finally:
            for buyer in buyers:
                os.kill(buyer, signal.SIGKILL)
        for buyer in buyers:
            assert forks.wait(buyer) == -signal.SIGKILL
        services.recount_seats(event_id=event.pk)


def test_at_no_time_had_a_seat_two_owners_or_a_person_too_many(tmp_path, kept_ledger):
    def enough(rounds: int) -> bool:
        """From the second round on, holds of those who were killed before have expired."""
        expired = rounds == 1 or Reservation.objects.filter(state="expired").exists()
        return expired and len(claims(facts(tmp_path))) > CLAIMS_PER_ROUND * rounds

    sell(tmp_path, rounds=ROUNDS, enough=enough)

    told, done = claims(facts(tmp_path)), ledger()
    assert faults_of_ledger(done, limit=LIMIT) == []
    assert faults_of_claims(told) == []
    assert len(told) > CLAIMS_PER_ROUND
    assert Reservation.objects.filter(state="expired").exists()
    for event in {it.event_id for it in Reservation.objects.all()}:
        assert services.inconsistent_seats(event_id=event) == {}


def test_control_without_locks_the_checker_sees_it(tmp_path, kept_ledger, without_constraint):
    def enough(rounds: int) -> bool:
        return bool(faults_of_ledger(ledger(), limit=LIMIT))

    # Nothing is locked, and everybody has time to be in each other's way.
    no_lock = ("ORDER BY id\n                FOR NO KEY UPDATE", "ORDER BY id")
    slowly = ("SELECT id, state\n", "SELECT id, state, pg_sleep(0.02)\n")
    with changed_function("hold_seats", no_lock, slowly):
        sell(tmp_path, rounds=1, enough=enough, careless=True)

    assert faults_of_ledger(ledger(), limit=LIMIT)


HELD, OVER = True, False


@pytest.mark.parametrize(
    ("entries", "faulty"),
    [
        ([Entry(1, 1, "a", HELD), Entry(1, 1, "a", OVER), Entry(1, 2, "b", HELD)], False),
        ([Entry(1, 1, "a", HELD), Entry(1, 2, "b", HELD), Entry(1, 1, "a", OVER)], True),
        ([Entry(seat, 1, "a", HELD) for seat in range(LIMIT)], False),
        ([Entry(seat, 1, "a", HELD) for seat in range(LIMIT + 1)], True),
    ],
)
def test_control_the_ledger_is_read_rightly(entries, faulty):
    assert bool(faults_of_ledger(entries, limit=LIMIT)) == faulty


@pytest.mark.parametrize(
    ("found", "faulty"),
    [
        ([Claim(1, "a", 0, 2), Claim(1, "b", 2, 3)], False),
        ([Claim(1, "a", 0, 2), Claim(1, "b", 1, 3)], True),
        ([Claim(1, "a", 0, 9), Claim(1, "b", 9, 9), Claim(1, "c", 8, 9)], True),
        ([Claim(1, "a", 0, 2), Claim(2, "b", 1, 3)], False),
    ],
)
def test_control_claims_are_read_rightly(found, faulty):
    assert bool(faults_of_claims(found)) == faulty


def test_control_what_is_paid_for_is_claimed_for_ever():
    mine = {"what": "mine", "code": "a", "seats": [1], "at": 1.0, "until": 2.0}

    assert claims([mine])[0].end == 2.0
    assert claims([mine, {"what": "paying", "code": "a", "at": 1.5}])[0].end == float("inf")
    assert claims([mine, {"what": "ending", "code": "a", "at": 1.2}])[0].end == 1.2
