from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_totp.apps import DefaultConfig as TOTPConfig


class PhonesConfig(TOTPConfig):
    """Renames the admin section in which a superuser removes a lost phone."""

    verbose_name = _("Log-in with a phone")
    default = False


class ConsoleConfig(AppConfig):
    default = True
    name = "ticketing.console"
    label = "console"
    verbose_name = _("Console")

    def ready(self) -> None:
        from ticketing.console import heartbeats, services

        post_migrate.connect(services.grant_roles, sender=self)
        heartbeats.connect_signals()
