"""Places on a standby list in JSON: requests and responses."""

from datetime import datetime
from typing import Any

from rest_framework import serializers

from reservations.models import StandbyEntry
from reservations.selectors.standby import StandbyPlace

MOST = 100


class StandbyWishSerializer(serializers.Serializer):
    quantity = serializers.IntegerField(
        min_value=1, max_value=MOST, help_text="Side by side; later only fewer."
    )
    grade = serializers.CharField(
        max_length=8, default="", allow_blank=True, help_text="Code of a price grade; empty: any."
    )


class StandbySerializer(serializers.Serializer):
    event = serializers.IntegerField()
    state = serializers.ChoiceField([state.value.upper() for state in StandbyEntry.State])
    place = serializers.IntegerField(allow_null=True, help_text="From 1, while WAITING.")
    quantity = serializers.IntegerField()
    grade = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    reservation = serializers.CharField(
        allow_null=True, help_text="Code of what is offered: pay for it as for any hold."
    )
    deadline = serializers.DateTimeField(allow_null=True, help_text="Of the offer.")
    server_time = serializers.DateTimeField()


def standby_body(found: StandbyPlace, now: datetime) -> dict[str, Any]:
    entry, offer = found.entry, found.entry.reservation
    return {
        "event": entry.event_id,
        "state": found.state.upper(),
        "place": found.place,
        "quantity": entry.quantity,
        "grade": entry.grade,
        "created_at": entry.created_at,
        "reservation": offer.code if offer else None,
        "deadline": offer.deadline if offer else None,
        "server_time": now,
    }
