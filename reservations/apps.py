from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReservationsConfig(AppConfig):
    name = "reservations"
    verbose_name = _("Reservations")

    def ready(self) -> None:
        from reservations.selectors.standby import count_holders
        from waiting_queue.services import holders_wanted

        holders_wanted.connect(count_holders)
