from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RehearsalConfig(AppConfig):
    name = "ticketing.rehearsal"
    label = "rehearsal"
    verbose_name = _("Rehearsals")
