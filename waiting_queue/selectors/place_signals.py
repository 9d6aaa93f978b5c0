"""Signals that are kept with places in line, for groups and for the export."""

from typing import Any

from django.apps import apps
from django.db.models import QuerySet


def signals_of_places(event_id: int) -> QuerySet[Any] | None:
    """Rows with `person`, `at`, `address_range` and `signals`; None: none are kept."""
    model: Any = apps.all_models["queue"].get("placesignals")
    if model is None:
        return None
    return model._default_manager.filter(event_id=event_id).order_by()
