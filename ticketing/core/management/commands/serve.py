"""One server process for pages and websockets; run as many as there are cores."""

import asyncio
import socket
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from ticketing.core import event_loop, listen_queue, overload
from ticketing.core.live.websocket_protocol import PushProtocol
from ticketing.core.server_signals import server_started, server_stopping

TICKS_PER_TURN = 5  # a divisor of 10: at each tenth tick uvicorn sets the date of its responses


class Command(BaseCommand):
    help = "Serve pages and websockets on HOST and PORT, or on a socket that was opened before."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fd", type=int, help="File descriptor of a listening socket.")

    def handle(self, *, fd: int | None, **options: Any) -> None:
        # Not uvicorn's `fd`, which treats every socket as a Unix one and loses client addresses.
        sockets = None if fd is None else [socket.socket(fileno=fd)]
        server_started.send_robust(sender=None)
        Server(server_config()).run(sockets=sockets)


class Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        event_loop.adopt_running_loop()
        self.watching = asyncio.create_task(overload.watch())
        await super().startup(sockets)

    async def main_loop(self) -> None:
        """Uvicorn wakes up ten times a second, which is most of what an idle server does."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += TICKS_PER_TURN
            await asyncio.sleep(TICKS_PER_TURN / 10)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Clients with open connections are asked to reconnect first."""
        await server_stopping.asend_robust(sender=None)
        await super().shutdown(sockets)
        self.watching.cancel()
        await event_loop.end()


def server_config(application: str = "ticketing.asgi:application") -> uvicorn.Config:
    return uvicorn.Config(
        application,
        host=settings.HOST,
        port=settings.PORT,
        backlog=listen_queue.LONGEST,
        log_config=None,  # configured in the settings
        access_log=settings.DEVELOPMENT,
        lifespan="off",
        proxy_headers=True,
        forwarded_allow_ips=settings.TRUSTED_PROXIES,
        server_header=False,
        timeout_graceful_shutdown=5,
        ws=PushProtocol,
        ws_ping_interval=45,  # frames every few seconds make pings rarely necessary
        ws_ping_timeout=30,
    )
