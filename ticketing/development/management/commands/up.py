"""Runs the whole site on this machine."""

import json
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from ticketing.development.log_ins import DEMO_LOGINS
from ticketing.development.runner.site import SiteOptions, SiteRunner
from ticketing.development.runner.terminal import Terminal

# Not from reverse(): that would load the whole site into the process that only watches it.
MAILS = "/dev/mails/"


class Command(BaseCommand):
    help = "Run the whole site, with embedded PostgreSQL and Valkey unless others are named."
    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        run_site()


def run_site() -> None:
    """Needs the settings only; manage.py calls it without loading the apps."""
    sys.exit(SiteRunner(site_options(), Terminal(sys.stdout))())


def site_options() -> SiteOptions:
    return SiteOptions(
        base=settings.BASE_DIR,
        var=settings.VAR_DIR,
        host=settings.HOST,
        port=settings.PORT,
        web_processes=max(1, settings.WEB_PROCESSES),
        sandbox=settings.PAYMENTS_SANDBOX,
        sandbox_port=settings.PAYMENTS_SANDBOX_PORT,
        own_postgres=not os.environ.get("DATABASE_URL"),
        own_valkey=not os.environ.get("REDIS_URL"),
        mails=MAILS if _stores_mails() else "",
        log_ins=DEMO_LOGINS if settings.DEVELOPMENT else [],
        environments=json.loads(os.environ.get("PROCESS_ENVIRONMENTS", "{}")),
    )


def _stores_mails() -> bool:
    return settings.EMAIL_BACKEND.startswith("ticketing.development.mailbox.")
