"""JSON bodies of the rehearsal API."""

import json
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from ticketing.events.models import Event
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services import MOVES

MAX_FANS = 100_000
MAX_MINUTES = 240
MAX_PEOPLE_PER_CALL = 1_000
MAX_REPORT_LENGTH = 20_000_000
MAX_LATENCY_SECONDS = 60
MAX_INTEGER = 2**53 - 1
MAX_PARTS = 1_000


def numbers_field(help_text: str) -> serializers.ListField:
    number = serializers.IntegerField(min_value=0, max_value=MAX_FANS - 1)
    return serializers.ListField(
        child=number, max_length=MAX_PEOPLE_PER_CALL, default=list, help_text=help_text
    )


class StrictSerializer(serializers.Serializer):
    """Refuses unknown names instead of ignoring them."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = set(data) - set(self.fields) if isinstance(data, dict) else ()
        if unknown:
            message = _("Unknown setting.")
            raise serializers.ValidationError({str(name): [message] for name in unknown})
        return super().to_internal_value(data)


class KnobsSerializer(StrictSerializer):
    max_inside = serializers.IntegerField(min_value=1, max_value=1_000_000, required=False)
    admit_per_second = serializers.FloatField(min_value=0, max_value=100_000, required=False)
    capacity = serializers.IntegerField(min_value=1, max_value=10_000_000, required=False)
    claim_seconds = serializers.IntegerField(min_value=5, max_value=3_600, required=False)
    pass_seconds = serializers.IntegerField(min_value=10, max_value=86_400, required=False)
    pass_max_seconds = serializers.IntegerField(min_value=10, max_value=86_400, required=False)
    absence_seconds = serializers.IntegerField(min_value=10, max_value=86_400, required=False)
    moves_groups = serializers.BooleanField(required=False)


class StartRehearsalSerializer(serializers.Serializer):
    event = serializers.IntegerField(
        min_value=1,
        max_value=MAX_INTEGER,
        allow_null=True,
        default=None,
        help_text="null: the next sale.",
    )
    fans = serializers.IntegerField(min_value=1, max_value=MAX_FANS, default=5_000)
    minutes = serializers.FloatField(min_value=0.1, max_value=MAX_MINUTES, default=3)
    profile = serializers.ChoiceField(Rehearsal.Profile.values, default=Rehearsal.Profile.RUSH)
    faults = serializers.ChoiceField(Rehearsal.Faults.values, default=Rehearsal.Faults.NONE)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_INTEGER, default=1)
    identity_level = serializers.ChoiceField(
        Event.IdentityLevel.values,
        allow_null=True,
        default=None,
        help_text="What people must have shown. null: what the event asks for.",
    )
    knobs = KnobsSerializer(default=dict)


class TitleSerializer(serializers.Serializer):
    ko = serializers.CharField()
    en = serializers.CharField()


class SettingSerializer(serializers.Serializer):
    code = serializers.CharField()
    event = serializers.IntegerField(help_text="The copy's number.")
    source = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]
    title = TitleSerializer()
    fans = serializers.IntegerField()
    minutes = serializers.FloatField()
    profile = serializers.ChoiceField(Rehearsal.Profile.values)
    faults = serializers.ChoiceField(Rehearsal.Faults.values)
    seed = serializers.IntegerField()
    cookie = serializers.CharField(help_text="The name of the cookie for people's sessions.")
    identity_level = serializers.ChoiceField(Event.IdentityLevel.values)
    limit_per_person = serializers.IntegerField()
    hold_seconds = serializers.IntegerField()
    seats = serializers.IntegerField(help_text="On sale: without those held back.")
    payments = serializers.BooleanField(help_text="False: cards are real, people don't pay.")
    knobs = KnobsSerializer()
    secret_sha256 = serializers.CharField()
    public_value = serializers.CharField(allow_blank=True)
    server_time = serializers.DateTimeField()


class WantedPeopleSerializer(serializers.Serializer):
    first = serializers.IntegerField(min_value=0, max_value=MAX_FANS - 1)
    count = serializers.IntegerField(min_value=1, max_value=MAX_PEOPLE_PER_CALL)
    new = numbers_field("Of these the accounts are a few minutes old.")
    unverified = numbers_field("These have no identity, where the event asks for one.")


class PersonSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    id = serializers.IntegerField()
    email = serializers.EmailField()
    session = serializers.CharField()
    lane = serializers.IntegerField(help_text="The lane that they join; 0: everybody's.")


class PeopleSerializer(serializers.Serializer):
    people = PersonSerializer(many=True)


class MoveSerializer(serializers.Serializer):
    move = serializers.ChoiceField(list(MOVES))


class MovedSerializer(serializers.Serializer):
    state = serializers.CharField()


class GatewayBehaviourSerializer(serializers.Serializer):
    failure_rate = serializers.FloatField(min_value=0, max_value=1, default=0)
    latency = serializers.FloatField(min_value=0, max_value=MAX_LATENCY_SECONDS, default=0)


class SeatsNowSerializer(serializers.Serializer):
    free = serializers.IntegerField()
    held = serializers.IntegerField()
    paying = serializers.IntegerField()
    sold = serializers.IntegerField()


class SnapshotSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    state = serializers.CharField()
    lobby = serializers.IntegerField()
    waiting = serializers.IntegerField()
    unverified = serializers.IntegerField(help_text="People who are called once they verify.")
    ready = serializers.IntegerField()
    inside = serializers.IntegerField()
    max_inside = serializers.IntegerField()
    cap = serializers.IntegerField(help_text="Places inside as of the last tick, by the stock.")
    admit_per_second = serializers.FloatField()
    seats = SeatsNowSerializer()
    tick_age_seconds = serializers.FloatField(allow_null=True)
    database_ms = serializers.FloatField()
    redis_ms = serializers.FloatField()
    breaker = serializers.CharField()
    oldest_charge_seconds = serializers.FloatField()
    oldest_leak_seconds = serializers.FloatField()


class BooksQuery(serializers.Serializer):
    part = serializers.IntegerField(min_value=0, max_value=MAX_PARTS - 1, default=0)
    parts = serializers.IntegerField(min_value=1, max_value=MAX_PARTS, default=1)


class PaymentSumsSerializer(serializers.Serializer):
    state = serializers.CharField()
    count = serializers.IntegerField()
    amount = serializers.IntegerField()
    refunded = serializers.IntegerField()
    charged = serializers.IntegerField(allow_null=True, help_text="By the gateway's ledger.")
    returned = serializers.IntegerField(allow_null=True)


class BooksSerializer(serializers.Serializer):
    payments = PaymentSumsSerializer(many=True)
    seats = serializers.ListField(help_text="Pairs of seat and reservation, null if it has none.")


class JournalQuery(serializers.Serializer):
    after = serializers.IntegerField(min_value=0, max_value=2**63 - 1, default=0)


class JournalEntrySerializer(serializers.Serializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField(help_text="When it was decided.")
    done = serializers.DateTimeField(allow_null=True, help_text="When Redis did it, if it did.")
    person = serializers.IntegerField()
    kind = serializers.CharField()
    number = serializers.IntegerField()
    leader = serializers.IntegerField(allow_null=True, help_text="Of the person's party.")


class JournalSerializer(serializers.Serializer):
    entries = JournalEntrySerializer(many=True)
    more = serializers.BooleanField(help_text="Ask again, after the last of these.")


class FactsSerializer(serializers.Serializer):
    settled = serializers.BooleanField(help_text="No payment, refund or request is under way.")
    reservations = serializers.ListField(child=serializers.DictField())
    payments = serializers.ListField(child=serializers.DictField())
    charges = serializers.ListField(
        child=serializers.DictField(), allow_null=True, help_text="The gateway's own ledger."
    )
    tickets = serializers.ListField(child=serializers.DictField())
    sold = serializers.ListField(help_text="Pairs of seat and person.")
    seats = serializers.DictField(child=serializers.IntegerField())
    draw = serializers.DictField(allow_null=True)


class ReportSerializer(serializers.Serializer):
    ok = serializers.BooleanField()
    summary = serializers.DictField()
    html = serializers.CharField(
        max_length=MAX_REPORT_LENGTH, trim_whitespace=False, allow_blank=True
    )
    json = serializers.DictField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse characters that PostgreSQL cannot store, at any depth."""
        try:
            whole = json.dumps(attrs, ensure_ascii=False)
            whole.encode()
        except UnicodeEncodeError:
            whole = r"\u0000"
        if r"\u0000" in whole.replace("\\\\", "") or len(whole) > 2 * MAX_REPORT_LENGTH:
            raise serializers.ValidationError(_("Some of the information sent can't be used."))
        return attrs


class ReportStateSerializer(serializers.Serializer):
    state = serializers.ChoiceField(Rehearsal.State.values)


class LeftBehindSerializer(serializers.Serializer):
    left_behind = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Rows by model, and keys; all 0 if it went well.",
    )
