from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _


class SandboxConfig(AppConfig):
    name = "payments.sandbox"
    label = "sandbox"
    verbose_name = _("Payment sandbox")

    def ready(self) -> None:
        from payments.sandbox.availability import check_not_in_production

        register(check_not_in_production)
