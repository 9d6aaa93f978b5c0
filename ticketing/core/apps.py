from django.apps import AppConfig


class CoreConfig(AppConfig):
    """The shared kernel: `manage.py serve`, and no models."""

    name = "ticketing.core"
    label = "core"
