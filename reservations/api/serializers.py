"""Reservations in JSON: requests and responses."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from reservations.models import HoldRequest, Reservation
from reservations.selectors import ReservationWithSeats
from reservations.tokens import payment_token

MOST = 100
# What the short answer calls a reservation that is held or being paid for; the rest as it is.
PENDING = {"HELD": "PENDING", "PAYING": "PENDING"}
RESERVED_STATUSES = ["PENDING", "CONFIRMED", "RELEASED", "EXPIRED", "CANCELLED", "REFUNDED"]
LARGEST = 2**63 - 1
MODES = ["now", "auto", "async"]


class BestSerializer(serializers.Serializer):
    grade = serializers.CharField(max_length=8, help_text="Code of the price grade.")
    quantity = serializers.IntegerField(min_value=1, max_value=MOST)
    accessible = serializers.BooleanField(
        default=False, help_text="Wheelchair places with their companions' seats."
    )


class PlacesSerializer(serializers.Serializer):
    section = serializers.CharField(max_length=16, help_text="Code of a standing section.")
    quantity = serializers.IntegerField(min_value=1, max_value=MOST)
    grade = serializers.CharField(max_length=8, default="", allow_blank=True)


class WishSerializer(serializers.Serializer):
    """Exactly one of the three."""

    seats = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST),
        min_length=1,
        max_length=MOST,
        required=False,
        help_text="These very seats, all or none.",
    )
    best = BestSerializer(required=False, help_text="So many side by side, the best there are.")
    places = PlacesSerializer(required=False, help_text="Any places of a standing section.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError(_("Say one of seats, best and places."))
        return attrs


def ordinary_wish(data: Any) -> dict[str, Any] | None:
    """The wish, if it is written just as the serializer above would have it."""
    if not isinstance(data, dict) or len(data) != 1:
        return None
    ((kind, wish),) = data.items()
    reads = {"seats": _ordinary_seats, "best": _ordinary_best, "places": _ordinary_places}
    return data if kind in reads and reads[kind](wish) else None


def _ordinary_seats(seats: Any) -> bool:
    return (
        isinstance(seats, list)
        and 0 < len(seats) <= MOST
        and all(type(seat) is int and 0 < seat <= LARGEST for seat in seats)
    )


def _ordinary_best(wish: Any) -> bool:
    return (
        isinstance(wish, dict)
        and wish.keys() == {"grade", "quantity"}
        and _is_code(wish["grade"], 8)
        and _is_quantity(wish["quantity"])
    )


def _ordinary_places(wish: Any) -> bool:
    return (
        isinstance(wish, dict)
        and wish.keys() == {"section", "quantity"}
        and _is_code(wish["section"], 16)
        and _is_quantity(wish["quantity"])
    )


def _is_code(text: Any, longest: int) -> bool:
    return isinstance(text, str) and text.isalnum() and len(text) <= longest


def _is_quantity(number: Any) -> bool:
    return type(number) is int and 0 < number <= MOST


class HowSerializer(serializers.Serializer):
    mode = serializers.ChoiceField(
        MODES,
        default="now",
        help_text="`async`: 202 at once, fulfilled in order of arrival for each seat. `auto`: now, "
        "or as `async` if somebody else is trying the seats at this moment.",
    )


# Queries that are recognised at once: the serializer takes as long as a sixth of the request.
ORDINARY_HOW = {f"mode={mode}": {"mode": mode} for mode in MODES}


class KeySerializer(serializers.Serializer):
    key = serializers.CharField(max_length=64, allow_blank=True, default="")


class GradeNamesSerializer(serializers.Serializer):
    ko = serializers.CharField()
    en = serializers.CharField()


class ReservedSeatSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    section = serializers.CharField()
    row = serializers.CharField(allow_blank=True)
    number = serializers.IntegerField()
    grade = serializers.CharField(help_text="Its code.")
    grade_names = GradeNamesSerializer(help_text="For people.")
    price = serializers.IntegerField(help_text="As it was when the seat was held.")


class ReservationSerializer(serializers.Serializer):
    code = serializers.CharField(help_text="For people and programs.")
    event = serializers.IntegerField()
    state = serializers.ChoiceField([state.value.upper() for state in Reservation.State])
    seats = ReservedSeatSerializer(many=True)
    total = serializers.IntegerField(help_text="In the currency's smallest unit.")
    currency = serializers.CharField()
    created_at = serializers.DateTimeField()
    deadline = serializers.DateTimeField(help_text="HELD: until then, unless payment starts.")
    server_time = serializers.DateTimeField()
    payment_token = serializers.CharField(
        allow_null=True, help_text="`qp_…`, good for ten minutes, to start paying with."
    )


class ReservedSerializer(serializers.Serializer):
    reservationId = serializers.CharField(help_text="Its code.")  # noqa: N815 - as the outside knows it
    status = serializers.ChoiceField(RESERVED_STATUSES)
    token = serializers.CharField(allow_null=True, help_text="`qp_…`, to start paying with.")
    seatIds = serializers.ListField(child=serializers.IntegerField())  # noqa: N815
    total = serializers.IntegerField(help_text="In the currency's smallest unit.")
    expiresAt = serializers.DateTimeField()  # noqa: N815


class HoldRequestSerializer(serializers.Serializer):
    code = serializers.CharField()
    event = serializers.IntegerField()
    state = serializers.ChoiceField([state.value.upper() for state in HoldRequest.State])
    seats = serializers.ListField(child=serializers.IntegerField())
    place = serializers.IntegerField(
        allow_null=True, help_text="Among those who want one of these seats, from 1; until its end."
    )
    created_at = serializers.DateTimeField()
    reservation = serializers.CharField(allow_null=True, help_text="Its code, on SUCCESS.")
    refusal = serializers.DictField(
        allow_null=True, help_text="Why not, on FAILED: in the shape of an error."
    )
    next_poll_ms = serializers.IntegerField(allow_null=True)


def validated(serializer: Any, data: Any) -> dict[str, Any]:
    read = serializer(data=data)
    read.is_valid(raise_exception=True)
    return read.validated_data


SEAT = ("id", "section", "row", "number", "grade", "grade_names", "price")


def reservation_body(hold: ReservationWithSeats, now: datetime) -> dict[str, Any]:
    it = hold.reservation
    return {
        "code": it.code,
        "event": it.event_id,
        "state": _shown_state(it, now),
        "seats": [{name: seat[name] for name in SEAT} for seat in hold.seats],
        "total": it.total,
        "currency": it.currency,
        "created_at": it.created_at,
        "deadline": it.deadline,
        "server_time": now,
        "payment_token": _payment_token(it, now),
    }


def reserved_body(hold: ReservationWithSeats, now: datetime) -> dict[str, Any]:
    """The short form of the same."""
    it, state = hold.reservation, _shown_state(hold.reservation, now)
    return {
        "reservationId": it.code,
        "status": PENDING.get(state, state),
        "token": _payment_token(it, now),
        "seatIds": [seat["id"] for seat in hold.seats],
        "total": it.total,
        "expiresAt": it.deadline,
    }


def _payment_token(reservation: Reservation, now: datetime) -> str | None:
    """Only while there is something to pay."""
    payable = reservation.state in (Reservation.State.HELD, Reservation.State.PAYING)
    if not payable or reservation.is_overdue(now):
        return None
    return payment_token(code=reservation.code, fan_id=reservation.fan_id, now=now)


def _shown_state(reservation: Reservation, now: datetime) -> str:
    """A hold that ran out is shown as expired, even before it is ended."""
    overdue = reservation.is_overdue(now)
    return (Reservation.State.EXPIRED if overdue else reservation.state).upper()
