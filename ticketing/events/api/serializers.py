"""How events are written in JSON, and which questions about them are understood."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from ticketing.events import selectors
from ticketing.events.models import Event, Organiser, Venue
from ticketing.events.selectors import GradeAvailability

PUBLIC_STATES = [choice for choice in Event.State.choices if choice[0] != Event.State.DRAFT]


class WordsSerializer(serializers.Serializer):
    ko = serializers.CharField()
    en = serializers.CharField()


@extend_schema_field(WordsSerializer)
class Words(serializers.Field):
    """A text in both languages: {"ko": …, "en": …}."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"source": "*", "read_only": True})

    def to_representation(self, row: Any) -> dict[str, str]:
        return {code: getattr(row, f"{self.field_name}_{code}") for code in ("ko", "en")}


class VenueSerializer(serializers.ModelSerializer[Venue]):
    name = Words()
    address = Words()

    class Meta:
        model = Venue
        fields = ["id", "name", "address", "time_zone"]


class OrganiserSerializer(serializers.ModelSerializer[Organiser]):
    name = Words()

    class Meta:
        model = Organiser
        fields = ["id", "name"]


class GradeSerializer(serializers.Serializer):
    code = serializers.CharField(source="grade.code")
    name = serializers.SerializerMethodField()
    price = serializers.IntegerField(
        source="grade.price", help_text="In the currency's smallest unit; for won, whole won."
    )
    currency = serializers.CharField(source="grade.event.currency")
    colour = serializers.CharField(source="grade.colour")
    left = serializers.IntegerField(help_text="Seats left, at most a second old.")
    total = serializers.IntegerField()

    @extend_schema_field(WordsSerializer)
    def get_name(self, row: GradeAvailability) -> dict[str, str]:
        return {"ko": row.grade.name_ko, "en": row.grade.name_en}


class LinksSerializer(serializers.Serializer):
    self = serializers.URLField()
    seats = serializers.URLField()
    page = serializers.URLField(help_text="The event's page for people.")


class EventSummarySerializer(serializers.ModelSerializer[Event]):
    title = Words()
    status = serializers.ChoiceField(source="state", choices=PUBLIC_STATES)
    venue = VenueSerializer(source="plan.venue")
    organiser = OrganiserSerializer()
    lowest_price = serializers.IntegerField(allow_null=True)
    poster = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    class Meta:
        model = Event
        fields = [
            *("id", "title", "status", "on_sale_at", "doors_at", "starts_at", "ends_at"),
            *("venue", "organiser", "currency", "lowest_price", "poster", "links"),
        ]

    def get_poster(self, event: Event) -> str | None:
        return self._absolute(event.poster.url) if event.poster else None

    @extend_schema_field(LinksSerializer)
    def get_links(self, event: Event) -> dict[str, str]:
        request = self.context["request"]
        return {
            "self": reverse("api:event", args=[event.pk], request=request),
            "seats": reverse("api:seats", args=[event.pk], request=request),
            "page": self._absolute(event.get_absolute_url()),
        }

    def _absolute(self, path: str) -> str:
        return self.context["request"].build_absolute_uri(path)


class EventSerializer(EventSummarySerializer):
    description = Words()
    grades = serializers.SerializerMethodField()

    class Meta(EventSummarySerializer.Meta):
        fields = [*EventSummarySerializer.Meta.fields, "description", "grades"]

    @extend_schema_field(GradeSerializer(many=True))
    def get_grades(self, event: Event) -> Any:
        return GradeSerializer(selectors.grade_availability(event), many=True).data


class EventPageSerializer(serializers.Serializer):
    count = serializers.IntegerField(help_text="How many events there are on all pages.")
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = EventSummarySerializer(many=True)


class EventQuery(serializers.Serializer):
    search = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=100,
        help_text="Words that each occur in the title, the venue or the organiser.",
    )
    status = serializers.ChoiceField(
        choices=PUBLIC_STATES, default="", allow_blank=True, help_text="Only events in this state."
    )
    page = serializers.IntegerField(default=1, min_value=1, max_value=100_000)
    page_size = serializers.IntegerField(default=20, min_value=1, max_value=100)


class IndexSerializer(serializers.Serializer):
    events = serializers.URLField()
    schema = serializers.URLField(help_text="This API as an OpenAPI document.")
    docs = serializers.URLField(help_text="The same, to read and try out.")
