from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EventSetupConfig(AppConfig):
    """No models: this app knows what an event needs of every other one before it is sold."""

    name = "ticketing.event_setup"
    label = "event_setup"
    verbose_name = _("Setting up events")
