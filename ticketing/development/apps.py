from django.apps import AppConfig


class DevelopmentConfig(AppConfig):
    """Development commands: `up`, `reset`, `seed_demo`, `messages`."""

    name = "ticketing.development"
    label = "development"
