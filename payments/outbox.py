"""What others are to hear of a payment: written with it, delivered later (`delivering.py`)."""

import json
from datetime import datetime
from typing import Any

from payments import locks
from payments.models import Payment
from reservations.models import Reservation, StandbyEntry, Ticket

PAYMENT_SUCCEEDED = "PaymentSucceeded"
PAYMENT_FAILED = "PaymentFailed"
RESERVATION_CONFIRMED = "ReservationConfirmed"
RESERVATION_CANCELLED = "ReservationCancelled"
REFUNDED = "Refunded"
SEATS_OFFERED = "SeatsOffered"
OFFER_MISSED = "OfferMissed"
TAKEN_OFF_STANDBY = "TakenOffStandby"


def put(
    payment: Payment, reservation: Reservation, *kinds: str, now: datetime, **more: Any
) -> None:
    """In the caller's transaction, which holds the reservation's lock: so they have one order."""
    body = json.dumps(body_of(payment, reservation) | more)
    locks.put_messages(
        aggregate=f"reservation:{reservation.code}",
        kinds=list(kinds),
        bodies=[body] * len(kinds),
        now=now,
    )


def body_of(payment: Payment, reservation: Reservation) -> dict[str, Any]:
    return {
        "payment": payment.number,
        "reservation": reservation.code,
        "event": reservation.event_id,
        "fan": payment.fan_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "language": payment.language,
    }


def put_offer(
    *, reservation: Reservation, link: str, language: str, now: datetime, **_: Any
) -> None:
    """Receives `seats_offered` of reservations, in the transaction of the hold."""
    _put_about(reservation, SEATS_OFFERED, link=link, language=language, now=now)


def put_missed(
    *, reservation: Reservation, link: str, language: str, now: datetime, **_: Any
) -> None:
    """Receives `offer_missed` of reservations."""
    _put_about(reservation, OFFER_MISSED, link=link, language=language, now=now)


def put_taken_off(
    *, entry: StandbyEntry, language: str, now: datetime, signal: Any, sender: Any, **words: Any
) -> None:
    """Receives `removed_from_standby` of reservations; the entry need not have an order."""
    body = {"event": entry.event_id, "fan": entry.fan_id, "language": language} | words
    locks.put_messages(
        aggregate=f"standby:{entry.pk}",
        kinds=[TAKEN_OFF_STANDBY],
        bodies=[json.dumps(body)],
        now=now,
    )


def put_ticket_news(
    *,
    kind: str,
    ticket: Ticket,
    to: int,
    email: str,
    language: str,
    now: datetime,
    details: dict[str, Any],
    **_: Any,
) -> None:
    """Receives `ticket_notification` of reservations; the sender holds the order's lock."""
    body = {"ticket": ticket.code, "event": ticket.event_id, "fan": to, "email": email}
    _put(ticket.reservation, kind, body | {"language": language} | details, now)


def _put_about(
    reservation: Reservation, kind: str, *, link: str, language: str, now: datetime
) -> None:
    body = {
        "event": reservation.event_id,
        "fan": reservation.fan_id,
        "deadline": reservation.deadline.isoformat(),
        "link": link,
        "language": language,
    }
    _put(reservation, kind, body, now)


def _put(reservation: Reservation, kind: str, body: dict[str, Any], now: datetime) -> None:
    locks.put_messages(
        aggregate=f"reservation:{reservation.code}",
        kinds=[kind],
        bodies=[json.dumps(body | {"reservation": reservation.code})],
        now=now,
    )
