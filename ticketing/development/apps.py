from django.apps import AppConfig


class DevelopmentConfig(AppConfig):
    """Commands of the default run: `up`, `reset`, `seed_demo`, `messages`."""

    name = "ticketing.development"
    label = "development"
