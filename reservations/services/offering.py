"""Seats that came back are offered in order of the list, or go on sale again.

One offer is one transaction, under the lock of the event's list: whoever dies leaves nothing half
done, two at once share the events, and nobody is passed over because two were at work.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from reservations import selectors, standby
from reservations.fitting import Returned, seats_for
from reservations.locks import (
    only_one_choice_of,
    returned_seats_for_update,
    standby_entry_for_update,
    standby_list_for_update,
)
from reservations.models import Reservation, ReservedSeat, ReturnedSeat, StandbyEntry
from reservations.services.standing_by import end_waiting, note, open_list, settle_offer
from reservations.services.telling import NOBODY, tell_freed, tell_held
from reservations.signals import seats_offered
from ticketing.events.models import Event, Seat
from waiting_queue.errors import QueueUnavailable

State = StandbyEntry.State
# So many in one call; the next one comes in seconds.
BATCH = 200


def bring_seats_back(*, now: datetime) -> int:
    """Write down what became of offers, offer what came back, free what nobody waits for."""
    open_lists(now=now)
    settle_offers(now=now)
    end_what_is_over(now=now)
    return sum(_bring_back(event_id, now) for event_id in standby.events_with_returned_seats())


def open_lists(*, now: datetime) -> None:
    """Of every sale that is sold out; a line that can't be asked just now is asked again."""
    for event in standby.sold_out_without_a_list()[:BATCH]:
        try:
            open_list(event, now)
        except QueueUnavailable:
            continue


def settle_offers(*, now: datetime) -> int:
    done = standby.unsettled_offers().values_list("pk", flat=True)[:BATCH]
    return sum(settle_offer(pk=pk, now=now) is not None for pk in done)


def end_what_is_over(*, now: datetime) -> None:
    for pk in standby.entries_of_the_past().values_list("pk", flat=True)[:BATCH]:
        end_waiting(entry_id=pk, why="sale_over", now=now)
    for pk in standby.entries_of_the_blocked().values_list("pk", flat=True)[:BATCH]:
        end_waiting(entry_id=pk, why="blocked", now=now)


def _bring_back(event_id: int, now: datetime) -> int:
    for count in range(BATCH):
        if not offer_next(event_id=event_id, now=now):
            release_returned(event_id=event_id, now=now)
            return count
    return BATCH


@transaction.atomic
def offer_next(*, event_id: int, now: datetime) -> Reservation | None:
    """To the first on the list whom the seats fit; None if there is nobody, or nothing."""
    if standby_list_for_update(event_id) is None:
        return None
    event = Event.objects.get(pk=event_id)
    if event.returns != Event.Returns.STANDBY or event.state not in standby.OFFERING:
        return None
    seats = standby.returned_seats(event_id)
    found = _first_of(event, seats, now)
    return _offered(event, found, seats, now) if found else None


@transaction.atomic
def release_returned(*, event_id: int, now: datetime) -> int:
    """What the event's policy says, or what nobody waits for, is on open sale again."""
    if standby_list_for_update(event_id) is None:
        return 0
    event = Event.objects.get(pk=event_id)
    due = set(standby.seats_to_release(event, now).values_list("pk", flat=True)[:BATCH])
    if event.returns == Event.Returns.STANDBY and event.state in standby.OFFERING:
        due |= set(_wanted_by_nobody(event, now))
    freed = returned_seats_for_update(event_id, due)
    ReturnedSeat.objects.filter(pk__in=due).delete()
    standby.returned_no_more(event_id).delete()
    Seat.objects.filter(pk__in=freed).update(state=Seat.State.AVAILABLE)
    if freed:
        tell_freed(event_id=event_id, fan_id=NOBODY, seats=freed, now=now)
    return len(freed)


def _wanted_by_nobody(event: Event, now: datetime) -> Iterable[int]:
    """A seat that fits nobody waits a while: the one beside it may come back too."""
    kept = ReturnedSeat.objects.filter(event=event)
    if standby.in_order(event.pk).exists():
        if _first_of(event, standby.returned_seats(event.pk), now):
            return []
        kept = kept.filter(returned_at__lte=now - timedelta(seconds=event.offer_seconds))
    return kept.order_by("pk").values_list("pk", flat=True)[:BATCH]


def _first_of(event: Event, seats: list[Returned], now: datetime) -> StandbyEntry | None:
    """Whoever has as many seats as a person may have is passed over, and stays on the list."""
    if not seats:
        return None
    for pk in standby.whom_they_fit(event.pk, seats).values_list("pk", flat=True).iterator():
        entry = standby_entry_for_update(pk=pk, state=State.WAITING)
        if entry is not None and _may_have(event, entry, now):
            return entry
    return None


def _may_have(event: Event, entry: StandbyEntry, now: datetime) -> bool:
    """Counted under the lock that a hold of theirs would take."""
    only_one_choice_of(event_id=event.pk, fan_id=entry.fan_id)
    own = selectors.own_seats(event_id=event.pk, fan_id=entry.fan_id, now=now)
    return len(own) + entry.quantity <= event.seats_per_person


def _offered(
    event: Event, entry: StandbyEntry, seats: list[Returned], now: datetime
) -> Reservation | None:
    chosen = seats_for(seats, quantity=entry.quantity, grade=entry.grade)
    if len(returned_seats_for_update(event.pk, chosen)) != len(chosen):
        return None
    reservation = _reserved(event, entry, chosen, now)
    ReturnedSeat.objects.filter(pk__in=chosen).delete()
    _written_down(entry, reservation, now)
    whose = {"event_id": event.pk, "fan_id": entry.fan_id}
    tell_held(**whose, seats=chosen, until=reservation.deadline, are_new=False)
    return reservation


def _written_down(entry: StandbyEntry, reservation: Reservation, now: datetime) -> None:
    entry.move_to(State.OFFERED)
    entry.reservation, entry.offered_at = reservation, now
    entry.save(update_fields=["state", "reservation", "offered_at"])
    note(entry, before=State.WAITING, after=State.OFFERED, why=reservation.code, now=now)
    link = reverse("reservations:standby", args=[entry.event_id])
    language = entry.language or settings.LANGUAGE_CODE
    seats_offered.send(Reservation, reservation=reservation, link=link, language=language, now=now)


def _reserved(event: Event, entry: StandbyEntry, chosen: list[int], now: datetime) -> Reservation:
    """A hold like any other, with a time of its own. The constraint has the last word."""
    seats = Seat.objects.filter(pk__in=chosen).select_related("grade").order_by("pk")
    reservation = Reservation.objects.create(
        event=event,
        fan_id=entry.fan_id,
        created_at=now,
        deadline=now + timedelta(seconds=event.offer_seconds),
        total=sum(seat.grade.price for seat in seats),
        currency=event.currency,
    )
    ReservedSeat.objects.bulk_create(
        ReservedSeat(
            reservation=reservation, seat=seat, grade=seat.grade.code, price=seat.grade.price
        )
        for seat in seats
    )
    return reservation
