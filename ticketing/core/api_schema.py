"""The error shape, for the OpenAPI document."""

from rest_framework import serializers


class ErrorSerializer(serializers.Serializer):
    """How every refusal looks (`error_responses.body`)."""

    code = serializers.CharField(help_text="For programs; never changes.")
    message = serializers.CharField(help_text="For people, in their language.")
    details = serializers.DictField(help_text="What the message is about; may be empty.")
