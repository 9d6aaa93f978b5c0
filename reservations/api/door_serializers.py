"""How doors talk to us in JSON."""

from datetime import timedelta
from typing import Any

from rest_framework import serializers

from reservations.models import CheckIn
from reservations.selectors.check_ins import DoorCounts
from reservations.services.check_ins import UNDO_MINUTES, Scan
from reservations.tickets.labels import check_in_label, seat_label

MOST = 100
LARGEST = 2**63 - 1


class ScanSerializer(serializers.Serializer):
    key = serializers.UUIDField(help_text="Made up by you; a repeat is told the same again.")
    text = serializers.CharField(
        max_length=200, help_text="What the QR code says, `qt_…`, or the code that people read out."
    )
    scanned_at = serializers.DateTimeField(
        required=False, help_text="By your clock, if it was scanned without network."
    )
    offline = serializers.BooleanField(
        default=False, help_text="You let them in without asking; now you tell."
    )
    anyway = serializers.BooleanField(
        default=False, help_text="Let them in although you were told NOT_YET."
    )


class BatchSerializer(serializers.Serializer):
    event = serializers.IntegerField(min_value=1, max_value=LARGEST)
    door = serializers.CharField(max_length=40, default="", allow_blank=True)
    check_ins = serializers.ListField(child=ScanSerializer(), min_length=1, max_length=MOST)


class CheckInSerializer(serializers.Serializer):
    key = serializers.UUIDField()
    answer = serializers.ChoiceField([answer.value.upper() for answer in CheckIn.Answer])
    message = serializers.CharField(help_text="The same for people, in their language.")
    reason = serializers.CharField(
        allow_blank=True, help_text="VOID: why. NOT_YET: `early`, or `not_called` by its number."
    )
    used_at = serializers.DateTimeField(allow_null=True, help_text="USED: when.")
    conflict = serializers.BooleanField(
        help_text="They were let in without network, and should not have been."
    )
    undone = serializers.BooleanField()
    undo_until = serializers.DateTimeField(allow_null=True)
    code = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)
    seat = serializers.CharField(allow_blank=True)
    grade = serializers.CharField(allow_blank=True)
    entry_number = serializers.IntegerField(
        allow_null=True, help_text="Of a standing ticket, if the event gives numbers."
    )


class PartSerializer(serializers.Serializer):
    section = serializers.CharField()
    expected = serializers.IntegerField()
    inside = serializers.IntegerField()


class CountsSerializer(serializers.Serializer):
    event = serializers.IntegerField()
    expected = serializers.IntegerField(help_text="Tickets that are not void.")
    inside = serializers.IntegerField()
    sections = PartSerializer(many=True)


class CheckedInSerializer(serializers.Serializer):
    check_ins = CheckInSerializer(many=True)
    counts = CountsSerializer()


def scans_of(batch: dict[str, Any]) -> list[Scan]:
    """A check-in without network is decided already: the server only records it."""
    return [
        Scan(**scan, asks_first=not (anyway or scan["offline"]))
        for scan in map(dict, batch["check_ins"])
        for anyway in (scan.pop("anyway"),)
    ]


def check_in_body(entry: CheckIn) -> dict[str, Any]:
    ticket = entry.ticket
    lets_in = entry.answer == CheckIn.Answer.VALID and entry.undone_at is None
    return {
        "key": entry.key,
        "answer": entry.answer.upper(),
        "message": check_in_label(entry),
        "reason": entry.reason,
        "used_at": entry.earlier,
        "conflict": entry.is_conflict,
        "undone": entry.undone_at is not None,
        "undo_until": entry.at + timedelta(minutes=UNDO_MINUTES) if lets_in else None,
        "code": ticket.code if ticket else "",
        "name": ticket.name if ticket else "",
        "seat": seat_label(ticket) if ticket else "",
        "grade": ticket.seat.grade.name if ticket else "",
        "entry_number": ticket.entry_number if ticket else None,
    }


def counts_body(event_id: int, counts: DoorCounts) -> dict[str, Any]:
    parts = [
        {"section": part.code, "expected": part.expected, "inside": part.inside}
        for part in counts.parts
    ]
    sums = {"expected": counts.expected, "inside": counts.inside}
    return {"event": event_id, **sums, "sections": parts}
