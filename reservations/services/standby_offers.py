"""Offers returned seats in the order of the standby list, or puts them back on sale.

One offer is one transaction under the lock of the event's list: a crash leaves nothing half done,
and two workers never offer the same event's seats at once.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from reservations import selectors
from reservations.locks import (
    lock_person_limit,
    returned_seats_for_update,
    standby_entry_for_update,
    standby_list_for_update,
)
from reservations.models import Reservation, ReservedSeat, ReturnedSeat, StandbyEntry
from reservations.selectors import standby
from reservations.selectors.seat_matching import FreeSeat, matching_seats
from reservations.services.seat_updates import NOBODY, publish_freed, publish_held
from reservations.services.signals import seats_offered
from reservations.services.standby_entries import (
    end_waiting,
    open_list,
    record_change,
    settle_offer,
)
from ticketing.events.models import Event, Seat
from waiting_queue.errors import QueueUnavailable

State = StandbyEntry.State


def process_returned_seats(*, now: datetime) -> int:
    """Settle ended offers, offer returned seats, and free those that nobody waits for."""
    open_lists(now=now)
    settle_offers(now=now)
    end_obsolete_entries(now=now)
    return sum(_process_event(event_id, now) for event_id in standby.events_with_returned_seats())


def open_lists(*, now: datetime) -> None:
    """For every sold-out event; one whose queue is unavailable is tried again next time."""
    for event in standby.sold_out_events_without_list():
        try:
            open_list(event, now)
        except QueueUnavailable:
            continue


def settle_offers(*, now: datetime) -> int:
    done = standby.unsettled_offers()
    return sum(settle_offer(pk=entry.pk, now=now) is not None for entry in done)


def end_obsolete_entries(*, now: datetime) -> None:
    for entry in standby.entries_of_ended_sales():
        end_waiting(entry_id=entry.pk, why="sale_over", now=now)
    for entry in standby.entries_of_blocked_fans():
        end_waiting(entry_id=entry.pk, why="blocked", now=now)


def _process_event(event_id: int, now: datetime) -> int:
    for count in range(standby.BATCH):
        if not offer_next(event_id=event_id, now=now):
            release_returned(event_id=event_id, now=now)
            return count
    return standby.BATCH


@transaction.atomic
def offer_next(*, event_id: int, now: datetime) -> Reservation | None:
    """Offer seats to the first entry they suit; None if there is no entry or no seat."""
    if standby_list_for_update(event_id) is None:
        return None
    event = Event.objects.get(pk=event_id)
    if event.returns != Event.Returns.STANDBY or event.state not in standby.OFFERING:
        return None
    seats = standby.returned_seats(event_id)
    found = _first_entry(event, seats, now)
    return _offer(event, found, seats, now) if found else None


@transaction.atomic
def release_returned(*, event_id: int, now: datetime) -> int:
    """Put seats back on open sale: by the event's policy, or because nobody waits for them."""
    if standby_list_for_update(event_id) is None:
        return 0
    event = Event.objects.get(pk=event_id)
    due = set(standby.seats_to_release(event, now).values_list("pk", flat=True)[: standby.BATCH])
    if event.returns == Event.Returns.STANDBY and event.state in standby.OFFERING:
        due |= set(_unwanted_seats(event, now))
    freed = returned_seats_for_update(event_id, due)
    ReturnedSeat.objects.filter(pk__in=due).delete()
    standby.stale_returned_seats(event_id).delete()
    Seat.objects.filter(pk__in=freed).update(state=Seat.State.AVAILABLE)
    if freed:
        publish_freed(event_id=event_id, fan_id=NOBODY, seats=freed, now=now)
    return len(freed)


def _unwanted_seats(event: Event, now: datetime) -> Iterable[int]:
    """A seat that suits nobody is kept for a while: its neighbour may be returned too."""
    kept = ReturnedSeat.objects.filter(event=event)
    if standby.waiting_entries(event.pk).exists():
        if _first_entry(event, standby.returned_seats(event.pk), now):
            return []
        kept = kept.filter(returned_at__lte=now - timedelta(seconds=event.offer_seconds))
    return kept.order_by("pk").values_list("pk", flat=True)[: standby.BATCH]


def _first_entry(event: Event, seats: list[FreeSeat], now: datetime) -> StandbyEntry | None:
    """The first entry these seats suit; fans at their limit are skipped and stay listed."""
    if not seats:
        return None
    for pk in standby.entries_matching(event.pk, seats).values_list("pk", flat=True).iterator():
        entry = standby_entry_for_update(pk=pk, state=State.WAITING)
        if entry is not None and _is_within_limit(event, entry, now):
            return entry
    return None


def _is_within_limit(event: Event, entry: StandbyEntry, now: datetime) -> bool:
    """Counted under the lock that a hold of this fan takes."""
    lock_person_limit(event_id=event.pk, fan_id=entry.fan_id)
    own = selectors.own_seats(event_id=event.pk, fan_id=entry.fan_id, now=now)
    return len(own) + entry.quantity <= event.seats_per_person


def _offer(
    event: Event, entry: StandbyEntry, seats: list[FreeSeat], now: datetime
) -> Reservation | None:
    chosen = matching_seats(seats, quantity=entry.quantity, grade=entry.grade)
    if len(returned_seats_for_update(event.pk, chosen)) != len(chosen):
        return None
    reservation = _reserve(event, entry, chosen, now)
    ReturnedSeat.objects.filter(pk__in=chosen).delete()
    _mark_offered(entry, reservation, now)
    whose = {"event_id": event.pk, "fan_id": entry.fan_id}
    publish_held(**whose, seats=chosen, until=reservation.deadline, are_new=False)
    return reservation


def _mark_offered(entry: StandbyEntry, reservation: Reservation, now: datetime) -> None:
    entry.move_to(State.OFFERED)
    entry.reservation, entry.offered_at = reservation, now
    entry.save(update_fields=["state", "reservation", "offered_at"])
    record_change(entry, before=State.WAITING, after=State.OFFERED, why=reservation.code, now=now)
    link = reverse("reservations:standby", args=[entry.event_id])
    language = entry.language or settings.LANGUAGE_CODE
    seats_offered.send(Reservation, reservation=reservation, link=link, language=language, now=now)


def _reserve(event: Event, entry: StandbyEntry, chosen: list[int], now: datetime) -> Reservation:
    """A normal hold with the offer's deadline; the seat constraint still applies."""
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
