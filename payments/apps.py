from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PaymentsConfig(AppConfig):
    name = "payments"
    verbose_name = _("Payments")

    def ready(self) -> None:
        from payments import gateways, outbox
        from reservations.signals import (
            offer_missed,
            seats_offered,
            taken_off_standby,
            ticket_news,
        )
        from ticketing.core.server_signals import server_started

        seats_offered.connect(outbox.put_offer)
        offer_missed.connect(outbox.put_missed)
        taken_off_standby.connect(outbox.put_taken_off)
        ticket_news.connect(outbox.put_ticket_news)
        server_started.connect(gateways.load)
