"""Forty users and a runner against a real server."""

import asyncio
import json
import threading
from collections import Counter
from datetime import timedelta

import pytest

from payments import services as payments
from payments.sandbox import delays
from reservations import services as reservations
from tests.making import make_event, make_plan
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.events.models import Event
from ticketing.rehearsal import services
from ticketing.rehearsal.simulator import judge
from ticketing.rehearsal.simulator.history import OUTCOMES, RUNNER
from ticketing.rehearsal.simulator.runner import Options, rehearse
from ticketing.rehearsal.simulator.site import SiteClient
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
FANS = 40


@pytest.fixture
def sale(transactional_db, now) -> Event:
    on_sale_at = now + timedelta(hours=20)
    times = {"on_sale_at": on_sale_at, "state": Event.State.ANNOUNCED}
    event = make_event(now, plan=make_plan(rows=3, seats_per_row=20), seats_per_person=2, **times)
    SaleQueue.objects.create(event=event, opens_at=on_sale_at, admit_per_second=20, max_inside=15)
    return event


@pytest.fixture
def beat_and_workers(site):
    """The periodic work of beat and the workers, every half second."""
    stop = threading.Event()

    def tick() -> None:
        now = clock.now()
        queues.tick_open_queues(now=now)
        queues.drain_journals()
        reservations.expire_holds(now=now)
        for payment in payments.claim_due_payments(now=now):
            payments.settle_payment(pk=payment, now=now)

    def work() -> None:
        from django.db import connection

        while not stop.wait(0.5):
            tick()
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()
    delays.end_all()  # cards that never answer keep nobody waiting


@pytest.fixture
def token(operator):
    return services.mint_token(user=operator, now=clock.now())


def records_in(folder):
    with (folder / "history.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


def test_everybody_ends_in_a_state_that_is_explained(
    site,
    sale,
    token,
    beat_and_workers,
    tmp_path,
):
    options = Options(event=sale.pk, fans=FANS, minutes=0.3, profile="bots", folders=tmp_path)

    async def play():
        async with SiteClient(site, token) as client:
            return await rehearse(options, client)

    folder = asyncio.run(play())

    records = records_in(folder.path)
    ends = {
        record["user"]: record["data"]["state"] for record in records if record["action"] == "end"
    }
    assert set(ends) == set(range(FANS))
    assert set(ends.values()) <= set(OUTCOMES)
    counted = Counter(ends.values())
    assert counted["bought"] > 5, counted

    facts = folder.load("facts")
    bought = {seat for seat, _ in facts["sold"]}
    assert facts["settled"]
    assert len(bought) == facts["seats"]["sold"] > 5
    assert {record["action"] for record in records if record["user"] == RUNNER} == {
        *("begin", "move", "sample", "books", "facts", "finish"),
    }
    moves = [record["data"]["move"] for record in records if record["action"] == "move"]
    assert (moves[:3], moves[-1]) == (["lobby", "open", "pause"], "close")
    maps = Counter(
        record["action"] for record in records if record["data"].get("channel") == "seats"
    )
    assert maps["connect"] >= maps["disconnect"] > 5
    attacks = [record for record in records if record["action"] in ("forge", "replay", "skip")]
    assert attacks
    assert [record for record in attacks if not 400 <= record["status"] < 500] == []

    broken = [it for it in judge.verdicts(folder.evidence()) if it.holds is False]
    assert [(it.name, str(it.counterexample)) for it in broken] == []
    assert not any(folder.load("left_behind").values())
    assert not User.objects.filter(email__endswith=".invalid").exists()
