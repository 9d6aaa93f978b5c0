from django.apps import AppConfig


class CoreConfig(AppConfig):
    """The shared kernel: `manage.py serve`, and no models."""

    name = "ticketing.core"
    label = "core"

    def ready(self) -> None:
        from ticketing.core.logs import task_signals as logged_tasks
        from ticketing.core.metrics import task_signals as counted_tasks

        logged_tasks.connect_signals()
        counted_tasks.connect_signals()
