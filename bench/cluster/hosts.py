"""Hosts as network namespaces on one bridge: each has an address, and can be killed or cut off."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.embedded.paths import server_user

BRIDGE, PREFIX, NETWORK = "ticketing0", "tkt-", "10.77.0"
GATEWAY = f"{NETWORK}.1"  # this machine's own address on the bridge
PACKAGES = {"ip": "iproute2", "setpriv": "util-linux"}


@dataclass(eq=False)
class Host:
    """Runs processes; without a namespace they are on this machine itself."""

    name: str
    address: str
    folder: Path
    namespace: str = ""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        as_server: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Start a process, `as_server` under the user who may run PostgreSQL."""
        enter = ["ip", "netns", "exec", self.namespace] if self.namespace else []
        user = server_user() if as_server else None
        # A change of user clears the parent's death signal: it is set again afterwards.
        ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] if user else []
        become = ["setpriv", *ids, "--pdeathsig=SIGKILL"]
        with (self.folder / f"{name}.log").open("ab") as log:
            started = process.start(
                [*enter, *become, *command],
                parent_death_signal=signal.SIGKILL,
                env=os.environ | (env or {}),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes[name] = started
        return started

    def kill(self, *names: str) -> None:
        """As in a power cut: nobody can say goodbye. All processes, or these."""
        doomed = [self.processes.pop(name) for name in names or list(self.processes)]
        for each in doomed:
            if each.poll() is None:
                each.kill()
        if self.namespace and not names:  # also their children
            for pid in _ip("netns", "pids", self.namespace).split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
        for each in doomed:
            each.wait()

    def stop(self) -> None:
        for each in reversed(self.processes.values()):
            process.stop(each, timeout=20)
        self.processes.clear()

    def cut_off(self) -> None:
        """Nothing goes in or out any more, and nobody is told."""
        _ip("link", "set", self.namespace, "down")

    def reconnect(self) -> None:
        _ip("link", "set", self.namespace, "up")


class Network:
    """The bridge and its hosts; everything is removed at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hosts: list[Host] = []

    def create(self) -> None:
        require_programs(PACKAGES)
        try:
            self._remove_leftovers()
            _ip("link", "add", BRIDGE, "type", "bridge")
            _ip("addr", "add", f"{GATEWAY}/24", "dev", BRIDGE)
            _ip("link", "set", BRIDGE, "up")
        except CannotRun as refusal:
            raise CannotRun(
                f"Network namespaces can't be made here: {refusal}\n"
                "`make cluster` needs root (or CAP_NET_ADMIN and CAP_SYS_ADMIN)."
            ) from None

    def add(self, name: str, number: int) -> Host:
        """A host with an interface of its own on the bridge."""
        space, address = f"{PREFIX}{name}", f"{NETWORK}.{number}"
        _ip("netns", "add", space)
        _ip("link", "add", space, "type", "veth", "peer", "name", "eth0", "netns", space)
        _ip("link", "set", space, "master", BRIDGE, "up")
        _ip("-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", space, "link", "set", device, "up")
        host = Host(name, address, make_folder(self.folder / name), space)
        self.hosts.append(host)
        return host

    def remove(self) -> None:
        for host in self.hosts:
            host.kill()
        self._remove_leftovers()

    def _remove_leftovers(self) -> None:
        for line in _ip("netns", "list").splitlines():
            if line.startswith(PREFIX):
                _ip("netns", "del", line.split()[0])
        if (Path("/sys/class/net") / BRIDGE).exists():
            _ip("link", "del", BRIDGE)


def make_folder(folder: Path) -> Path:
    """One in which also the servers' user may write."""
    folder.mkdir(parents=True, exist_ok=True)
    if user := server_user():
        os.chown(folder, user.pw_uid, user.pw_gid)
    return folder


def require_programs(packages: Mapping[str, str]) -> None:
    missing = {package for program, package in packages.items() if not shutil.which(program)}
    if missing:
        raise CannotRun(f"Missing: {', '.join(sorted(missing))}. apt-get install installs them.")


def _ip(*arguments: str) -> str:
    code, output = process.run(["ip", *arguments])
    if code:
        raise CannotRun(f"`ip {' '.join(arguments)}`: {output}")
    return output
