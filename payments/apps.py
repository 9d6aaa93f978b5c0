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

        seats_offered.connect(outbox.on_seats_offered)
        offer_missed.connect(outbox.on_offer_missed)
        removed_from_standby.connect(outbox.on_taken_off_standby)
        ticket_notification.connect(outbox.on_ticket_news)
        server_started.connect(gateways.preload)
