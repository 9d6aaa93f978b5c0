"""One server process for pages and websockets; run as many as there are cores."""

import asyncio
import gc
import socket
import sys
from functools import partial
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.urls import get_resolver
from django.utils import translation

from ticketing.core import event_loop, listen_queue, overload, traces
from ticketing.core.http_protocol import BoundedHttp
from ticketing.core.listen_queue import Acceptor
from ticketing.core.live.websocket_protocol import PushProtocol
from ticketing.core.logs import access
from ticketing.core.server_signals import server_started, server_stopping
from ticketing.core.traces import TracedRequests

# How long the event loop waits at most for a page thread that is busy; Python's own is 5 ms, which
# is many times what the event loop needs for an answer.
SWITCH_SECONDS = 0.001
# New objects after which unreachable ones are looked for. Python's own 700 is a few requests: with
# thousands of open sockets a tenth of the processor went into looking.
COLLECT_AFTER = 20_000
TICKS_PER_TURN = 5  # a divisor of 10: at each tenth tick uvicorn sets the date of its responses


class Command(BaseCommand):
    help = "Serve pages and websockets on HOST and PORT, or on a socket that was opened before."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fd", type=int, help="File descriptor of a listening socket.")
        apart = "Not one of the site's processes: no heartbeat, no metrics."
        parser.add_argument("--apart", action="store_true", help=apart)

    def handle(self, *, fd: int | None, apart: bool, **options: Any) -> None:
        # Not uvicorn's `fd`, which treats every socket as a Unix one and loses client addresses.
        sockets = None if fd is None else [socket.socket(fileno=fd)]
        sys.setswitchinterval(SWITCH_SECONDS)
        for language, _ in settings.LANGUAGES:  # reading all URLs would stop the event loop
            with translation.override(language):
                get_resolver()._populate()
        server_started.send_robust(sender=None, is_apart=apart)
        is_unix = sockets is not None and sockets[0].family == socket.AF_UNIX
        # A Unix socket has no client addresses: whoever may open its file is our proxy.
        proxies = "*" if is_unix else settings.TRUSTED_PROXIES
        Server(server_config(proxies=proxies)).run(sockets=sockets)


class Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        event_loop.adopt_running_loop()
        for wrapper, is_on in (
            (TracedRequests, traces.is_on()),
            (access.AccessLog, access.is_on()),
        ):
            if is_on:
                self.config.loaded_app = wrapper(self.config.loaded_app)
        listeners = sockets or [self.config.bind_socket()]
        for listener in listeners:
            listener.listen(self.config.backlog)
        self.watching = asyncio.create_task(overload.watch())
        await super().startup([])  # we accept the connections
        protocol: Any = self.config.http_protocol_class
        create_protocol = partial(
            protocol,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        acceptors: Any = [Acceptor(listener, create_protocol) for listener in listeners]
        self.servers = acceptors
        # What is loaded by now stays: no collection needs to look at it again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(COLLECT_AFTER)

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


def server_config(
    application: str = "ticketing.asgi:application", *, proxies: list[str] | str | None = None
) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        host=settings.HOST,
        port=settings.PORT,
        backlog=listen_queue.LONGEST,
        log_config=None,  # configured in the settings
        access_log=False,  # ours names the time that an answer took
        lifespan="off",
        proxy_headers=True,
        forwarded_allow_ips=settings.TRUSTED_PROXIES if proxies is None else proxies,
        server_header=False,
        timeout_graceful_shutdown=5,
        http=BoundedHttp,
        ws=PushProtocol,
        ws_max_size=4096,  # for uvicorn's own protocols; ours reads no message at all
        ws_ping_interval=45,  # frames every few seconds make pings rarely necessary
        ws_ping_timeout=30,
    )
