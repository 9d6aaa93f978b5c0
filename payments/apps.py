from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PaymentsConfig(AppConfig):
    name = "payments"
    verbose_name = _("Payments")

    def ready(self) -> None:
        from payments import gateways, outbox
        from reservations.signals import seats_offered
        from ticketing.core.lifetime import came_up

        seats_offered.connect(outbox.put_offer)
        came_up.connect(gateways.load)
