"""A real server in this event loop, perhaps with a real nginx in front of it."""

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from tests.faults.site import free_port
from ticketing.core.http_protocol import BoundedHttp
from ticketing.core.live.websocket_protocol import PushProtocol

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
# As deploy/nginx/ticketing.conf, whose bounds are filled in, without TLS.
CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    client_max_body_size 11m;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    {bounds}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{upstream};
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
        }}
    }}
}}
"""


@dataclass
class Served:
    port: int

    async def open(self, raw: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        writer.write(raw)
        await writer.drain()
        return reader, writer

    async def ask(self, raw: bytes) -> bytes:
        """Everything that comes back until the connection is closed."""
        reader, writer = await self.open(raw)
        try:
            return await asyncio.wait_for(reader.read(), 60)
        except ConnectionResetError:
            return b""
        finally:
            writer.close()

    async def get(self, path: str = "/") -> bytes:
        return await self.ask(
            f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        )


@asynccontextmanager
async def served(application: Any, **choices: Any) -> AsyncIterator[Served]:
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        config = uvicorn.Config(
            application,
            http=BoundedHttp,
            ws=PushProtocol,
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=1,
            **choices,
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0)
        try:
            yield Served(listener.getsockname()[1])
        finally:
            server.should_exit = True
            await asyncio.wait_for(serving, 60)


@asynccontextmanager
async def behind_nginx(site: Served, folder: Path) -> AsyncIterator[Served]:
    port, documented = free_port(), Path("deploy/nginx/ticketing.conf").read_text()
    found = re.search(r"# Bounds.*?\n(.*?)\n\n", documented, re.DOTALL)
    assert found
    bounds = found[1].replace("_timeout 10s", "_timeout 1s")
    configuration = folder / "nginx.conf"
    configuration.write_text(
        CONFIGURATION.format(folder=folder, port=port, upstream=site.port, bounds=bounds)
    )
    nginx = await asyncio.create_subprocess_exec(
        str(NGINX), "-e", str(folder / "error.log"), "-c", str(configuration), "-p", str(folder)
    )
    try:
        while not await _listens(port):
            assert nginx.returncode is None, (folder / "error.log").read_text()
            await asyncio.sleep(0.01)
        yield Served(port)
    finally:
        nginx.terminate()
        await nginx.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
