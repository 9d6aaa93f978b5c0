"""What others are to hear of a payment: written with it, delivered later (`delivering.py`)."""

import json
from datetime import datetime
from typing import Any

from payments import locks
from payments.models import Payment
from reservations.models import Reservation

PAYMENT_SUCCEEDED = "PaymentSucceeded"
PAYMENT_FAILED = "PaymentFailed"
RESERVATION_CONFIRMED = "ReservationConfirmed"
RESERVATION_CANCELLED = "ReservationCancelled"
REFUNDED = "Refunded"
SEATS_OFFERED = "SeatsOffered"


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
    """Hears `reservations.signals.seats_offered`: written with the hold that it tells of."""
    body = {
        "reservation": reservation.code,
        "event": reservation.event_id,
        "fan": reservation.fan_id,
        "deadline": reservation.deadline.isoformat(),
        "link": link,
        "language": language,
    }
    locks.put_messages(
        aggregate=f"reservation:{reservation.code}",
        kinds=[SEATS_OFFERED],
        bodies=[json.dumps(body)],
        now=now,
    )
