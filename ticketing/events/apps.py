from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EventsConfig(AppConfig):
    name = "ticketing.events"
    label = "ticketing"
    verbose_name = _("Events and venues")
