from django.apps import AppConfig


class DevelopmentConfig(AppConfig):
    """Development commands: `up`, `prepare`, `reset`, `seed_demo`, `messages`."""

    name = "ticketing.development"
    label = "development"
