"""The shapes of the queue's requests and responses, for the OpenAPI document."""

from rest_framework import serializers

from waiting_queue.models import APPEAL_MAX_LENGTH, BlockAppeal, SaleQueue

PLACES = ["lobby", "waiting", "ready"]
ENDS = ["completed", "at_limit", "left", "expired", "blocked", "closed", "none"]
STATUSES = [*PLACES, "entered", *ENDS]
STATES = [name.upper() for name in [*PLACES, "admitted", *ENDS]]


def whole(help_text: str) -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, min_value=0, help_text=help_text)


class PartyInLineSerializer(serializers.Serializer):
    leads = serializers.BooleanField(help_text="The place is this person's own.")
    people = serializers.IntegerField(
        allow_null=True, min_value=2, help_text="With the leader; null once they are called."
    )


class StandingSerializer(serializers.Serializer):
    status = serializers.ChoiceField(
        STATUSES, help_text="`entered` is the same as the state `ADMITTED`."
    )
    state = serializers.ChoiceField(STATES)
    lane = serializers.IntegerField(
        min_value=0, help_text="The lane of the line; 0: everybody's. Places are within the lane."
    )
    number = whole("The number that was drawn; it never changes while one stays.")
    position = whole("Place in line, from 1; null for whoever does not wait.")
    ahead = whole("People in front.")
    rank = whole("The same as `position`, from 0.")
    aheadCount = whole("The same as `ahead`.")  # noqa: N815 - as the outside knows it
    total = serializers.IntegerField(min_value=0, help_text="People waiting in this lane.")
    lobby = serializers.IntegerField(min_value=0, help_text="People who wait for a draw.")
    eta_seconds = whole("Expected wait; null if unknown.")
    eta_low_seconds = whole("The shortest wait to expect; null if unknown.")
    eta_high_seconds = whole("The longest wait to expect; null if unknown.")
    paused = serializers.BooleanField(help_text="Nobody is called at the moment.")
    deadline = serializers.DateTimeField(
        allow_null=True, help_text="READY: claim until then. ADMITTED: the pass lasts until then."
    )
    queue_state = serializers.ChoiceField(SaleQueue.State.values)
    mode = serializers.ChoiceField(
        SaleQueue.Mode.values,
        allow_blank=True,
        help_text="How people get their places; LOBBY in `minute_draw`: at the end of the minute.",
    )
    next_poll_ms = serializers.IntegerField(min_value=0, help_text="Ask again after so long.")
    turn = serializers.IntegerField(
        min_value=0,
        help_text="Send it with the next poll: no older place is answered.",
    )
    server_time = serializers.DateTimeField()
    token = serializers.CharField(
        allow_null=True,
        help_text="The queue token, `qr_…`; null: the one in use is still right. Of whoever is "
        "ADMITTED it is the pass, for the browser that has it.",
    )
    elsewhere = serializers.BooleanField(
        help_text="Another browser of this person has the pass: only that one can hold seats."
    )
    go_to = serializers.CharField(
        allow_null=True, help_text="ADMITTED: the address of the page to go to."
    )

    party = PartyInLineSerializer(
        required=False,
        help_text="Only in a party, and only where the answer was read from the line.",
    )
    demoted_why = serializers.CharField(
        required=False,
        help_text="Why you were moved to the end of the line, where it was read from it. "
        "`group: …`: by the system, which gives the place back to whoever verifies who they are.",
    )


class JoinedSerializer(StandingSerializer):
    socket_after_ms = serializers.IntegerField(
        min_value=0, help_text="Open the websocket after so long, and poll until then."
    )


class GradeOutlookSerializer(serializers.Serializer):
    code = serializers.CharField()
    name_ko = serializers.CharField()
    name_en = serializers.CharField()
    free = serializers.IntegerField(min_value=0, help_text="Seats of this grade that are free now.")
    likely = serializers.IntegerField(
        min_value=0, help_text="With fewer people ahead than this, a seat is likely."
    )
    maybe = serializers.IntegerField(
        min_value=0, help_text="With fewer people ahead than this, a seat is possible."
    )


class OutlookSerializer(serializers.Serializer):
    notice = serializers.CharField(allow_blank=True, help_text="The operator's words to everyone.")
    sold_out = serializers.BooleanField(help_text="No seat is free, nor held by anybody.")
    grades = GradeOutlookSerializer(many=True)


class ShortStandingSerializer(serializers.Serializer):
    token = serializers.CharField(allow_null=True, help_text="`qr_…`")
    status = serializers.ChoiceField(STATUSES)
    rank = whole("Place in line, from 0; null for whoever does not wait.")
    aheadCount = whole("People in front.")  # noqa: N815 - as the outside knows it


class LeftSerializer(serializers.Serializer):
    was = serializers.ChoiceField(["lobby", "waiting", "ready", "admitted", "none"])


class AppealSerializer(serializers.Serializer):
    words = serializers.CharField(
        max_length=APPEAL_MAX_LENGTH, help_text="Why the block is a mistake; operators read it."
    )


class AnsweredSerializer(AppealSerializer):
    state = serializers.ChoiceField(BlockAppeal.State.values)
    at = serializers.DateTimeField()
    answer = serializers.CharField(allow_blank=True, help_text="What an operator said to it.")


class BlockSerializer(serializers.Serializer):
    blocked_why = serializers.CharField(
        allow_blank=True, help_text="The reason of the block; empty: not blocked."
    )
    appeal = AnsweredSerializer(allow_null=True, help_text="The last one.")
