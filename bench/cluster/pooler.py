"""PgBouncer in transaction mode beside a PostgreSQL."""

import re
import socket
from pathlib import Path
from string import Template

from bench.cluster.postgres import PostgresNode, wait_until
from ticketing.development.embedded import process

TEMPLATES = Path(__file__).parent / "templates"
PORT = 6432


def keeps_prepared_statements() -> bool:
    """From 1.21 on they stay prepared; with an older one the site must not prepare any."""
    _, output = process.run(["pgbouncer", "--version"])
    found = re.search(r"PgBouncer (\d+)\.(\d+)", output)
    return found is not None and (int(found[1]), int(found[2])) >= (1, 21)


class Pooler:
    def __init__(self, server: PostgresNode) -> None:
        self.server, self.host = server, server.host

    def start(self) -> None:
        """Also after a promotion: it tells its clients what the server said first."""
        if "pgbouncer" in self.host.processes:
            self.host.kill("pgbouncer")
        text = Template((TEMPLATES / "pgbouncer.ini").read_text()).substitute(
            address=self.host.address,
            database_port=self.server.port,
            port=PORT,
            folder=self.host.folder,
            prepared="max_prepared_statements = 200" if keeps_prepared_statements() else "",
        )
        file = self.host.folder / "pgbouncer.ini"
        file.write_text(text)
        self.host.start("pgbouncer", ["pgbouncer", file], as_server=True)
        wait_until(self._listens)

    def _listens(self) -> bool:
        with socket.create_connection((self.host.address, PORT), timeout=1):
            return True
