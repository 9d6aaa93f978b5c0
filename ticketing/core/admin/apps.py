from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.admin import autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class AdminConfig(SimpleAdminConfig):
    """Leaves its pages to `ticketing.urls`: a worker, which answers no request, needs none."""

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_pages, checks.Tags.admin)


def check_pages(
    app_configs: Sequence[AppConfig] | None, **options: Any
) -> list[checks.CheckMessage]:
    """Django's checks of the admin's pages, which are loaded now if they were not before."""
    autodiscover()
    return list(check_admin_app(app_configs, **options))
