"""The payment sandbox as a process of its own."""

import socket
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from payments.sandbox.availability import is_enabled
from ticketing.core.management.commands.serve import Server, server_config
from ticketing.core.metrics.listener import Listener


class Command(BaseCommand):
    help = "Serve the payment sandbox on PAYMENTS_SANDBOX_PORT, or on a socket opened before."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fd", type=int, help="File descriptor of a listening socket.")

    def handle(self, *, fd: int | None, **options: Any) -> None:
        if not is_enabled():
            raise CommandError("The payment sandbox works in development only.")
        sockets = None if fd is None else [socket.socket(fileno=fd)]
        config = server_config("payments.sandbox.asgi:application")
        config.host, config.port = "127.0.0.1", settings.PAYMENTS_SANDBOX_PORT
        with ExitStack() as ending:
            if settings.METRICS:
                ending.callback(Listener("sandbox").stop)
            Server(config).run(sockets=sockets)
