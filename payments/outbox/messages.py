"""Writes outbox messages, in the transaction of what they report.

The caller holds the lock of the reservation or standby entry, so that messages have one order.
"""

import json
from datetime import datetime
from typing import Any

from payments import locks
from payments.models import Payment
from reservations.models import Reservation, StandbyEntry, Ticket

PAYMENT_FAILED = "PaymentFailed"
RESERVATION_CONFIRMED = "ReservationConfirmed"
RESERVATION_CANCELLED = "ReservationCancelled"
REFUNDED = "Refunded"
SEATS_CANCELLED = "SeatsCancelled"
SEATS_OFFERED = "SeatsOffered"
OFFER_MISSED = "OfferMissed"
TAKEN_OFF_STANDBY = "TakenOffStandby"


def add(
    payment: Payment, reservation: Reservation, *kinds: str, now: datetime, **details: Any
) -> None:
    """Add one message of each kind about a payment."""
    body = {
        "payment": payment.number,
        "event": reservation.event_id,
        "fan": payment.fan_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "language": payment.language,
    }
    _add_about(reservation, *kinds, body=body | details, now=now)


def on_seats_offered(
    *, reservation: Reservation, link: str, language: str, now: datetime, **_: Any
) -> None:
    """Receiver of `seats_offered`."""
    body = _offer_body(reservation, link, language)
    _add_about(reservation, SEATS_OFFERED, body=body, now=now)


def on_offer_missed(
    *, reservation: Reservation, link: str, language: str, now: datetime, **_: Any
) -> None:
    """Receiver of `offer_missed`."""
    body = _offer_body(reservation, link, language)
    _add_about(reservation, OFFER_MISSED, body=body, now=now)


def on_taken_off_standby(
    *, entry: StandbyEntry, language: str, now: datetime, signal: Any, sender: Any, **details: Any
) -> None:
    """Receiver of `removed_from_standby`; the entry need not have an order."""
    body = {"event": entry.event_id, "fan": entry.fan_id, "language": language} | details
    locks.add_outbox_messages(
        aggregate=f"standby:{entry.pk}",
        kinds=[TAKEN_OFF_STANDBY],
        bodies=[json.dumps(body)],
        now=now,
    )


def on_ticket_news(
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
    """Receiver of `ticket_notification`."""
    body = {"ticket": ticket.code, "event": ticket.event_id, "fan": to, "email": email}
    _add_about(ticket.reservation, kind, body=body | {"language": language} | details, now=now)


def _offer_body(reservation: Reservation, link: str, language: str) -> dict[str, Any]:
    return {
        "event": reservation.event_id,
        "fan": reservation.fan_id,
        "deadline": reservation.deadline.isoformat(),
        "link": link,
        "language": language,
    }


def _add_about(reservation: Reservation, *kinds: str, body: dict[str, Any], now: datetime) -> None:
    text = json.dumps(body | {"reservation": reservation.code})
    locks.add_outbox_messages(
        aggregate=f"reservation:{reservation.code}",
        kinds=list(kinds),
        bodies=[text] * len(kinds),
        now=now,
    )
