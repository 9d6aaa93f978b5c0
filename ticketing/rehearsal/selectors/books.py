"""Money and the owners of seats at one moment of a rehearsal's sale, for the judge."""

from typing import Any

from django.db import connection
from django.db.models import F, FilteredRelation, Q
from django.db.models.functions import Mod

from ticketing.events.models import Seat
from ticketing.rehearsal import gateway_ledger

# One statement, so that our rows and the sandbox's ledger are of the same moment.
WITH_LEDGER = """
    SELECT state, count(*), sum(amount), sum(refunded), sum(charged), sum(returned)
    FROM (
        SELECT payment.state, payment.amount, payment.refunded,
            coalesce(sum(movement.amount) FILTER (WHERE kind = 'charge'), 0) AS charged,
            coalesce(sum(movement.amount) FILTER (WHERE kind = 'refund'), 0) AS returned
        FROM reservations_reservation AS reservation
        JOIN payments_payment AS payment ON payment.reservation_id = reservation.id
        LEFT JOIN payments_sandbox_payment AS theirs ON theirs.payment_id = payment.number
        LEFT JOIN payments_sandbox_movement AS movement ON movement.payment_id = theirs.id
        WHERE reservation.event_id = %s
        GROUP BY payment.id
    ) AS payments
    GROUP BY state
"""
WITHOUT_LEDGER = """
    SELECT payment.state, count(*), sum(payment.amount), sum(payment.refunded), NULL, NULL
    FROM reservations_reservation AS reservation
    JOIN payments_payment AS payment ON payment.reservation_id = reservation.id
    WHERE reservation.event_id = %s
    GROUP BY payment.state
"""
COLUMNS = ("state", "count", "amount", "refunded", "charged", "returned")


def books(event_id: int, *, part: int, parts: int) -> dict[str, Any]:
    """Sums of the payments by state, and the live reservation of each seat of this part."""
    statement = WITH_LEDGER if gateway_ledger.is_sandbox() else WITHOUT_LEDGER
    with connection.cursor() as cursor:
        cursor.execute(statement, [event_id])
        rows = cursor.fetchall()
    payments = [
        {"state": state} | {name: _whole(one) for name, one in zip(COLUMNS[1:], sums, strict=True)}
        for state, *sums in rows
    ]
    return {"payments": payments, "seats": _owners(event_id, part, parts)}


def _whole(number: Any) -> int | None:
    return None if number is None else int(number)


def _owners(event_id: int, part: int, parts: int) -> list[list[Any]]:
    """Pairs of seat and the code of its live reservation; in one statement."""
    seats = Seat.objects.filter(event_id=event_id).annotate(part=Mod(F("pk"), parts))
    owned = FilteredRelation("reserved", condition=Q(reserved__live=True))
    rows = seats.filter(part=part).annotate(owned=owned).order_by("pk")
    return [list(row) for row in rows.values_list("pk", "owned__reservation__code")]
