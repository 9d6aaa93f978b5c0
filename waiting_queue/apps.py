from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QueueConfig(AppConfig):
    # A top-level package named "queue" would hide the standard library's (docs/adr/0001).
    name = "waiting_queue"
    label = "queue"
    verbose_name = _("Queue")
