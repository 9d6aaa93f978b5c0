"""Error responses and examples for the OpenAPI document."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework import serializers

from ticketing.core.errors import DomainError


class ErrorSerializer(serializers.Serializer):
    """The body of every error response (`error_responses.body`)."""

    code = serializers.CharField(help_text="For programs; never changes.")
    message = serializers.CharField(help_text="For people, in their language.")
    details = serializers.DictField(help_text="What the message is about; may be empty.")


def refusals(*possible: DomainError) -> dict[int, OpenApiResponse]:
    """One response for each status, with an example of each error that has it."""
    by_status: dict[int, list[OpenApiExample]] = {}
    for error in possible:
        value = {"code": error.code, "message": _english(error), "details": error.details}
        by_status.setdefault(error.status, []).append(example(value, error.code, error.status))
    return {
        status: OpenApiResponse(
            ErrorSerializer, ", ".join(f"`{each.name}`" for each in examples), examples
        )
        for status, examples in by_status.items()
    }


def example(value: Any, name: str = "Example", status: int = 200) -> OpenApiExample:
    return OpenApiExample(name, value, response_only=True, status_codes=[str(status)])


def _english(error: DomainError) -> str:
    message = error.message
    text = getattr(message, "_args", [message])[0]
    return str(text) % error.details if error.details else str(text)
