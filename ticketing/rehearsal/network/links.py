"""The links of a throw-away site: web and workers reach the servers through ports of their own."""

import json
import socket
from pathlib import Path

from ticketing.development.embedded.paths import server_paths
from ticketing.rehearsal.network.control import Network

SIDES = {"web": ("web",), "workers": ("worker", "payer", "mailer", "ticker", "beat")}


def connect_network(var: Path) -> tuple[Network, dict[str, str]]:
    """A proxy in front of the servers of the site in this folder, and the site's settings."""
    run, gateway_port = server_paths(var).run, _free_port()
    servers = {
        "postgresql": str(run / "postgres" / ".s.PGSQL.5432"),
        "valkey": str(run / "valkey.sock"),
        "gateway": f"127.0.0.1:{gateway_port}",
    }
    links = {f"{side}-{name}": address for side in SIDES for name, address in servers.items()}
    network = Network(links)
    environments = {
        role: _addresses(side, network.ports) for side, roles in SIDES.items() for role in roles
    }
    return network, {
        "PAYMENTS_SANDBOX_PORT": str(gateway_port),
        "PROCESS_ENVIRONMENTS": json.dumps(environments),
    }


def _addresses(side: str, ports: dict[str, int]) -> dict[str, str]:
    """The settings by which a process reaches the servers through the links of its side."""
    postgresql, valkey = ports[f"{side}-postgresql"], ports[f"{side}-valkey"]
    return {
        "DATABASE_URL": f"postgresql://postgres@127.0.0.1:{postgresql}/ticketing",
        "REDIS_URL": f"redis://127.0.0.1:{valkey}/0",
        "PORTONE_URL": f"http://127.0.0.1:{ports[f'{side}-gateway']}/sandbox/portone",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
