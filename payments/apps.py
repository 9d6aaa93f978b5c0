from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PaymentsConfig(AppConfig):
    name = "payments"
    verbose_name = _("Payments")

    def ready(self) -> None:
        from payments import gateways, outbox
        from reservations.services import (
            offer_missed,
            removed_from_standby,
            seats_offered,
            ticket_notification,
        )
        from ticketing.core.server_signals import server_started

        seats_offered.connect(outbox.put_offer)
        offer_missed.connect(outbox.put_missed)
        removed_from_standby.connect(outbox.put_taken_off)
        ticket_notification.connect(outbox.put_ticket_news)
        server_started.connect(gateways.load)
