from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PaymentsConfig(AppConfig):
    name = "payments"
    verbose_name = _("Payments")

    def ready(self) -> None:
        from payments import outbox
        from reservations.signals import seats_offered

        seats_offered.connect(outbox.put_offer)
