"""The site's server with the baselines added: `python -m bench.server FD`.

Without pings, which would fall into some measurements and not into others.
"""

import socket
import sys

import django

django.setup()

from ticketing.core.management.commands.serve import Server, server_config  # noqa: E402

if __name__ == "__main__":
    config = server_config()
    config.app = "bench.asgi:application"
    config.ws_ping_interval = None
    Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
