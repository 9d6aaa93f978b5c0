from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReservationsConfig(AppConfig):
    name = "reservations"
    verbose_name = _("Reservations")

    def ready(self) -> None:
        from reservations.live import hold_requests  # noqa: F401 - connects its receiver
