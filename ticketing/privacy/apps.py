from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PrivacyConfig(AppConfig):
    """No models: those of accounts; this app knows what every other one stores about a person."""

    name = "ticketing.privacy"
    label = "privacy"
    verbose_name = _("Privacy")
