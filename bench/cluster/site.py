"""A site on several hosts: applications behind nginx, PostgreSQL with a standby, Valkeys."""

import json
import os
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from string import Template

from bench import machine, portone
from bench.cluster.hosts import GATEWAY, Host, Network, make_folder, require_programs
from bench.cluster.pooler import PORT as POOLER_PORT
from bench.cluster.pooler import TEMPLATES, Pooler, keeps_prepared_statements
from bench.cluster.postgres import PostgresNode, PostgresPair, wait_until
from bench.cluster.valkey import SentinelGroup, ValkeyCluster
from tests.faults.site import free_port
from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.log_ins import DEMO_LOGINS
from ticketing.processes import SANDBOX, WEB, WORKERS

PACKAGES = {"nginx": "nginx-light", "pgbouncer": "pgbouncer"}
APPLICATION_PORT, VALKEY_PORT, SENTINEL_PORT, CLUSTER_PORT = 8000, 6379, 26379, 7000
CLOCK_SHIFT = 2.0  # seconds that the second host's clock is ahead


class ClusterSite:
    """Everything on hosts of its own. To the simulator a `ProcessControl` that only counts."""

    network = None  # which the simulator could disturb: here whole hosts are

    def __init__(
        self,
        folder: Path,
        *,
        hosts: int = 3,
        queue_on_cluster: bool = False,
        stub_gateway: bool = False,
    ) -> None:
        """With `stub_gateway` payments go to the benchmarks' gateway instead of the sandbox."""
        require_programs(PACKAGES)
        self.folder, self.host_count, self.queue_on_cluster = folder, hosts, queue_on_cluster
        self.stub_gateway = stub_gateway
        self.lan = Network(folder)
        self.front = Host("front", GATEWAY, make_folder(folder / "front"))
        self.port, self.gateway_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = ""
        self.died: Counter[str] = Counter()  # processes that ended by themselves
        self.changing = threading.Lock()  # which processes a host runs

    @classmethod
    @contextmanager
    def started(
        cls,
        folder: Path,
        *,
        hosts: int = 3,
        queue_on_cluster: bool = False,
        stub_gateway: bool = False,
    ) -> Iterator["ClusterSite"]:
        site = cls(
            folder, hosts=hosts, queue_on_cluster=queue_on_cluster, stub_gateway=stub_gateway
        )
        try:
            site.start()
            yield site
        finally:
            site.stop()

    def start(self) -> None:
        self.lan.create()
        self._start_database()
        self._start_valkeys()
        self.environment = self._environment()
        os.environ.update(self.environment)  # Django in this process is set up with the same
        self._manage("prepare")
        self._start_gateway()
        self.applications = [self.lan.add(f"app{n}", 10 + n) for n in range(1, self.host_count + 1)]
        self._start_nginx()
        for host in self.applications:
            self.start_application(host)
        for host in self.applications:
            wait_until(partial(self.is_ready, host), 120)
        self.token = self._operator_token()

    def stop(self) -> None:
        self.front.kill()
        self.lan.remove()

    # -- servers ----------------------------------------------------------------------------------

    def _start_database(self) -> None:
        nodes = [PostgresNode(self.lan.add(f"db{n}", 20 + n)) for n in (1, 2)]
        self.database = PostgresPair(*nodes)
        self.database.start()
        self.poolers = {node.host.name: Pooler(node) for node in nodes}
        for pooler in self.poolers.values():
            pooler.start()

    def _start_valkeys(self) -> None:
        hosts = [self.lan.add(f"redis{n}", 30 + n) for n in (1, 2, 3)]
        self.valkeys = SentinelGroup(hosts, port=VALKEY_PORT, sentinel_port=SENTINEL_PORT)
        self.valkeys.start()
        self.cluster = ValkeyCluster(hosts, port=CLUSTER_PORT) if self.queue_on_cluster else None
        if self.cluster:
            self.cluster.start()

    def _start_nginx(self) -> None:
        servers = [
            f"        server {host.address}:{APPLICATION_PORT} max_fails=2 fail_timeout=2s;"
            for host in self.applications
        ]
        file = self.front.folder / "nginx.conf"
        file.write_text(
            Template((TEMPLATES / "nginx.conf").read_text()).substitute(
                folder=self.front.folder,
                port=self.port,
                address=GATEWAY,
                servers="\n".join(servers),
                gateway=f"127.0.0.1:{self.gateway_port}",
            )
        )
        self.front.start("nginx", ["nginx", "-c", file, "-e", "stderr"])

    def _start_gateway(self) -> None:
        if self.stub_gateway:
            ports = [str(self.gateway_port), str(free_port())]
            self.front.start("gateway", [sys.executable, "-m", "bench.outside", *ports])
        else:
            self.front.start("sandbox", SANDBOX.command)

    # -- applications -----------------------------------------------------------------------------

    def _environment(self) -> dict[str, str]:
        """What all application hosts have in common."""
        poolers = ",".join(f"{each.host.address}:{POOLER_PORT}" for each in self.poolers.values())
        prepared = "" if keeps_prepared_statements() else "&prepared_statements=0"
        inside = f"http://{GATEWAY}:{self.port}"
        return {
            "DATABASE_URL": f"postgresql://postgres@{poolers}/ticketing"
            "?target_session_attrs=read-write&connect_timeout=2&disable_server_side_cursors=1"
            f"{prepared}",
            "REDIS_URL": self.valkeys.url,
            "BROKER_URL": self.valkeys.url,
            "QUEUE_REDIS_URL": self.cluster.url if self.cluster else self.valkeys.url,
            "DEVELOPMENT": "1",
            "SECRET_KEY": "only-for-the-cluster",
            "VAR_DIR": str(make_folder(self.folder / "shared")),
            "ALLOWED_HOSTS": f"127.0.0.1,localhost,{GATEWAY}",
            "TRUSTED_PROXIES": f"127.0.0.1,{GATEWAY}",
            "PORT": str(APPLICATION_PORT),
            "SITE_URL": self.url,
            "PAYMENTS_SANDBOX_PORT": str(self.gateway_port),
            "PORTONE_URL": f"{inside}/sandbox/portone",
            "PAYMENTS_SANDBOX_WEBHOOK": f"{inside}/payments/webhooks/portone/",
            "LOG_LEVEL": "WARNING",
            "CELERY_SKIP_CHECKS": "1",
            **(_stub_settings(f"{inside}/gateway") if self.stub_gateway else {}),
        }

    def start_application(self, host: Host) -> None:
        """Web, worker, payer, mailer, ticker and beat; the second host's clock is ahead."""
        clock = host.folder / "clock"
        clock.write_text(str(CLOCK_SHIFT if host in self.applications[1:2] else 0))
        static = host.folder / "static"
        if not static.exists():
            static.symlink_to(self.folder / "shared" / "static")
        own = {
            "HOST": host.address,
            "VAR_DIR": str(host.folder),
            "CLOCK_SKEW_FILE": str(clock),
        }
        for spec in (WEB, *WORKERS):
            if spec.name not in host.processes:
                host.start(spec.name, spec.command, env=self.environment | own)

    @contextmanager
    def supervised(self) -> Iterator[None]:
        """What ends by itself is started again a second later, as systemd does, and counted."""
        stop = threading.Event()

        def supervise() -> None:
            while not stop.wait(1):
                self.revive()

        thread = threading.Thread(target=supervise)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def revive(self) -> None:
        """Not what was killed with its host."""
        with self.changing:
            for host in self.applications:
                ended = {
                    n: each.poll() for n, each in host.processes.items() if each.poll() is not None
                }
                for name, code in ended.items():
                    self.died[f"{name} ({code})"] += 1
                    del host.processes[name]
                if ended:
                    self.start_application(host)

    def is_ready(self, host: Host) -> bool:
        address = f"http://{host.address}:{APPLICATION_PORT}/readyz"
        request = urllib.request.Request(address, headers={"Host": "127.0.0.1"})
        with suppress(OSError), urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status == 200
        return False

    def _manage(self, command: str) -> None:
        code, output = process.run([sys.executable, "manage.py", command])
        if code:
            raise CannotRun(f"`manage.py {command}` failed:\n{output}")

    def _operator_token(self) -> str:
        email, password, _ = DEMO_LOGINS[0]
        sent = {"email": email, "password": password, "name": "cluster"}
        body = json.dumps(sent | {"scopes": ["read", "operate"], "days": 1})
        request = urllib.request.Request(
            f"{self.url}/api/v1/tokens/", body.encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return str(json.load(answer)["secret"])

    # -- processes by role ------------------------------------------------------------------------

    @property
    def roles(self) -> Collection[str]:
        return machine.processes_by_kind().keys()

    def pids(self, role: str) -> list[int]:
        return machine.processes_by_kind().get(role, [])


def _stub_settings(url: str) -> dict[str, str]:
    return {
        "CHALLENGE": "off",  # a crowd that solves nothing
        "PAYMENTS_SANDBOX": "0",
        "PORTONE_URL": url,
        "PORTONE_API_SECRET": portone.SECRET,
        "PORTONE_WEBHOOK_SECRET": portone.WEBHOOK_SECRET,
        "PORTONE_STORE_ID": portone.STORE_ID,
        "PORTONE_CHANNEL_KEY": portone.CHANNEL_KEY,
    }
