"""Hypothesis drives fans, clock, payments and operators; a small model says what must be so.

Every outcome is predicted: a seat that is free is never refused, a seat that is taken never given.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from reservations import errors, gate, locks, services
from reservations.models import Reservation
from reservations.services import releases
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.reservations.acting import best, hold, places, states
from tests.soak import SOAK
from ticketing.core import clock, redis
from ticketing.core.errors import DomainError, IllegalMove
from ticketing.events import services as operators

LIMIT, SEATS, FANS = 3, 6, 3
HOLD, PAY = timedelta(seconds=300), timedelta(seconds=600)
LIVE = {"held", "paying", "confirmed"}
seats_of = st.sets(st.integers(0, SEATS - 1), min_size=1, max_size=LIMIT + 1)
fans = st.integers(0, FANS - 1)


@dataclass
class Order:
    """What the model knows of a reservation."""

    fan: int
    seats: list[int]
    created: datetime
    deadline: datetime
    code: str
    state: str = "held"

    def lapse(self, now: datetime) -> None:
        if self.state == "held" and self.deadline <= now:
            self.state = "expired"


@dataclass
class Model:
    orders: list[Order] = field(default_factory=list)
    blocked: set[int] = field(default_factory=set)

    def lapse(self, now: datetime) -> None:
        for order in self.orders:
            order.lapse(now)

    @property
    def taken(self) -> dict[int, int]:
        live = [order for order in self.orders if order.state in LIVE]
        return {seat: order.fan for order in live for seat in order.seats}

    def count(self, fan: int) -> int:
        return sum(owner == fan for owner in self.taken.values())


class Shop(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = clock.now()
        plan = make_plan(rows=1, seats_per_row=SEATS, standing=4)
        self.event: Any = make_event(self.now, plan=plan, seats_per_person=LIMIT)
        self.places = seat_ids(self.event)
        self.fans = [make_user(password=None) for _ in range(FANS)]
        self.model = Model()
        services.recount_seats(event_id=self.event.pk)

    # -- fans -------------------------------------------------------------------------------------

    @rule(fan=fans, seats=seats_of)
    def hold(self, fan: int, seats: set[int]) -> None:
        self.model.lapse(self.now)
        taken = {seat for seat in seats if seat in self.model.taken or seat in self.model.blocked}
        too_many = self.model.count(fan) + len(seats) > LIMIT
        ids = [self.places[seat] for seat in seats]
        if taken:
            with pytest.raises((errors.SeatsTaken, errors.SoldOut)) as refused:
                hold(self.event, self.fans[fan], self.now, *ids)
            named = refused.value.details.get("seats", [])
            assert set(named) <= {self.places[seat] for seat in taken}
        elif too_many:
            with pytest.raises(errors.TooManySeats):
                hold(self.event, self.fans[fan], self.now, *ids)
        else:
            held = hold(self.event, self.fans[fan], self.now, *ids)
            self._note(fan, sorted(seats), held)

    @rule(fan=fans, quantity=st.integers(1, 2))
    def best(self, fan: int, quantity: int) -> None:
        """Which ones is the shop's choice; that they were free is the model's."""
        self._any_of(
            fan, quantity, lambda: best(self.event, self.fans[fan], self.now, quantity, "S")
        )

    @rule(fan=fans, quantity=st.integers(1, 3))
    def places_of_the_floor(self, fan: int, quantity: int) -> None:
        self._any_of(fan, quantity, lambda: places(self.event, self.fans[fan], self.now, quantity))

    def _any_of(self, fan: int, quantity: int, take: Any) -> None:
        try:
            held = take()
        except (errors.NotTogether, errors.NotEnoughPlaces, errors.SoldOut, errors.TooManySeats):
            return
        self.model.lapse(self.now)
        seats = [self.places.index(seat["id"]) for seat in held.seats]
        assert len(seats) == quantity
        assert not set(seats) & (set(self.model.taken) | self.model.blocked)
        self._note(fan, seats, held)

    def _note(self, fan: int, seats: list[int], held: Any) -> None:
        assert held.reservation.deadline == self.now + HOLD
        code = held.reservation.code
        self.model.orders.append(Order(fan, seats, self.now, self.now + HOLD, code))

    @rule(pick=st.integers(0, 30))
    def give_back(self, pick: int) -> None:
        if order := self._pick(pick):
            whose = {"event_id": self.event.pk, "fan_id": self.fans[order.fan].pk}
            self._step(order, services.release, {"held"}, "released", **whose, again={"expired"})

    # -- payments ---------------------------------------------------------------------------------

    @rule(pick=st.integers(0, 30))
    def start_paying(self, pick: int) -> None:
        if not (order := self._pick(pick)):
            return
        fan = self.fans[order.fan].pk
        if order.state in {"held", "paying"}:
            paying = services.extend_for_payment(code=order.code, fan_id=fan, now=self.now)
            if order.state == "held":
                order.deadline = max(
                    order.deadline, min(self.now + PAY, order.created + HOLD + PAY)
                )
            order.state = "paying"
            assert paying.deadline == order.deadline
        else:
            with pytest.raises((IllegalMove, errors.HoldExpired)):
                services.extend_for_payment(code=order.code, fan_id=fan, now=self.now)

    @rule(pick=st.integers(0, 30))
    def payment_did_not_happen(self, pick: int) -> None:
        order = self._pick(pick)
        if order and order.state == "paying":
            services.resume_hold(code=order.code, now=self.now)
            order.state = "held"
            order.lapse(self.now)

    @rule(pick=st.integers(0, 30), end=st.sampled_from(["confirm", "cancel", "refund"]))
    def settle(self, pick: int, end: str) -> None:
        came_from = {"confirm": "paying", "cancel": "paying", "refund": "confirmed"}[end]
        became = {"confirm": "confirmed", "cancel": "cancelled", "refund": "refunded"}[end]
        if order := self._pick(pick):
            self._step(order, getattr(services, end), {came_from}, became)

    def _pick(self, number: int) -> Order | None:
        self.model.lapse(self.now)
        orders = self.model.orders
        return orders[number % len(orders)] if orders else None

    def _step(
        self,
        order: Order,
        service: Any,
        came_from: set[str],
        became: str,
        again: Any = (),
        **more: Any,
    ) -> None:
        if order.state in came_from:
            service(code=order.code, now=self.now, **more)
            order.state = became
        elif order.state == became or order.state in again:
            before = Reservation.objects.get(code=order.code).state
            service(code=order.code, now=self.now, **more)
            after = Reservation.objects.get(code=order.code).state
            assert after in {before, "released"}  # what ran out may be given back, too
            order.state = "released" if after == "released" else order.state
        else:
            with pytest.raises(IllegalMove):
                service(code=order.code, now=self.now, **more)

    # -- the world --------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1, 100, 299, 300, 600]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def the_clock_clears_up(self) -> None:
        services.expire_holds(now=self.now)

    @rule()
    def the_count_is_put_right(self) -> None:
        services.recount_seats(event_id=self.event.pk)

    @rule()
    def redis_is_lost(self) -> None:
        redis.client().flushdb()

    @rule(seat=st.integers(0, SEATS - 1))
    def an_operator_holds_back_or_releases(self, seat: int) -> None:
        who = {"event_id": self.event.pk, "seat_ids": [self.places[seat]], "by": None}
        if seat in self.model.blocked:
            operators.release_seats(**who, reason="", now=self.now)
            self.model.blocked.discard(seat)
            self.now += gate.TAKEN_TTL  # the gate may still have it as taken
        elif states(self.event)[self.places[seat]] == "available":
            operators.block_seats(**who, reason="", now=self.now)
            self.model.blocked.add(seat)
        services.recount_seats(event_id=self.event.pk)

    # -- what must always be so -------------------------------------------------------------------

    @invariant()
    def the_database_agrees_with_itself(self) -> None:
        assert services.inconsistent_seats(event_id=self.event.pk) == {}

    @invariant()
    def the_model_and_the_database_agree(self) -> None:
        self.model.lapse(self.now)
        stored = {it.code: it for it in Reservation.objects.filter(event=self.event)}
        assert {order.code for order in self.model.orders} == set(stored)
        for order in self.model.orders:
            found = stored[order.code]
            shown = "expired" if found.is_overdue(self.now) else found.state
            assert shown == order.state

    @invariant()
    def nobody_has_more_than_the_limit(self) -> None:
        for fan in range(FANS):
            assert self.model.count(fan) <= LIMIT

    @invariant()
    def the_count_is_never_too_low(self) -> None:
        left = gate.seats_left(self.event.pk)
        free = sum(state == "available" for state in states(self.event).values())
        assert left is None or left == free


BOUNDED = settings(
    max_examples=20 * SOAK if SOAK > 1 else 8,
    stateful_step_count=30,
    deadline=None,
    derandomize=SOAK == 1,
    database=None,
    phases=[Phase.generate],  # no shrinking, which takes minutes
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.soak(scales=True)
@pytest.mark.django_db(transaction=True)
def test_the_shop_does_what_the_model_says():
    run_state_machine_as_test(Shop, settings=BOUNDED)


def never(*_, **__):
    return []


def expired_holds_are_extended():
    return EXTENSION.replace("reservation.deadline <= %(now)s", "false")


EXTENSION = locks.extension_sql()
# A mistake, and steps during which the model must notice it.
MISTAKES = {
    "a failed attempt does not open the gate": (
        (gate, "abandon_attempt", never),
        [("hold", 0, {0, 1, 2, 3}), ("hold", 1, {0})],
    ),
    "expired holds are not ended": (
        (locks, "expire_holds", never),
        [("hold", 0, {0}), ("time_passes", 300), ("hold", 1, {0})],
    ),
    "released seats are not published": (
        (releases, "publish_returned", never),
        [("hold", 0, {0}), ("give_back", 0), ("hold", 1, {0})],
    ),
    "an expired hold can be paid": (
        (locks, "extension_sql", expired_holds_are_extended),
        [("hold", 0, {0}), ("time_passes", 300), ("start_paying", 0)],
    ),
}
INVARIANTS = (
    Shop.the_database_agrees_with_itself,
    Shop.the_model_and_the_database_agree,
    Shop.nobody_has_more_than_the_limit,
    Shop.the_count_is_never_too_low,
)
FOUND = (AssertionError, DomainError, pytest.fail.Exception)


def act_out(steps: Any) -> None:
    shop = Shop()
    for rule_name, *args in steps:
        getattr(shop, rule_name)(*args)
        for check in INVARIANTS:
            check(shop)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_control_a_planted_mistake_is_noticed(monkeypatch, mistake):
    target, steps = MISTAKES[mistake]
    act_out(steps)
    monkeypatch.setattr(*target)

    with pytest.raises(FOUND):
        act_out(steps)


@pytest.mark.django_db(transaction=True)
def test_control_the_search_finds_a_planted_mistake(monkeypatch):
    monkeypatch.setattr(releases, "publish_returned", never)

    with pytest.raises(FOUND):
        run_state_machine_as_test(Shop, settings=settings(BOUNDED, max_examples=20))
