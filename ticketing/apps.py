from django.apps import AppConfig
from django.contrib.staticfiles import apps as staticfiles
from django.utils.translation import gettext_lazy as _


class TicketingConfig(AppConfig):
    name = "ticketing"
    verbose_name = _("Events and venues")


class StaticFilesConfig(staticfiles.StaticFilesConfig):
    """Without pages that we don't show: there is a third less to collect at every first start."""

    default = False
    ignore_patterns = [*staticfiles.StaticFilesConfig.ignore_patterns, "redoc", "rest_framework"]
