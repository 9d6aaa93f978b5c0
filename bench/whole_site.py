"""The whole site as `make run` starts it, with the gateway and the mail server outside of it."""

from importlib import import_module
from typing import Any

import httpx

from bench import machine, portone
from bench.database import prepare_database
from bench.options import Options
from bench.people import make_fans
from bench.site import BenchSite
from bench.statements import StatementCounter
from tests.faults.site import free_port, until


class WholeSite(BenchSite):
    def __init__(self, options: Options) -> None:
        http_port, smtp_port = free_port(), free_port()
        self.gateway_url = f"http://127.0.0.1:{http_port}"
        super().__init__(
            options,
            counts_statements=True,
            PAYMENTS_SANDBOX="0",
            PORTONE_URL=self.gateway_url,
            PORTONE_API_SECRET=portone.SECRET,
            PORTONE_WEBHOOK_SECRET=portone.WEBHOOK_SECRET,
            PORTONE_STORE_ID=portone.STORE_ID,
            PORTONE_CHANNEL_KEY=portone.CHANNEL_KEY,
            EMAIL_HOST="127.0.0.1",
            EMAIL_PORT=str(smtp_port),
            EMAIL_TLS="off",
        )
        self.start(["-m", "bench.outside", str(http_port), str(smtp_port)])
        prepare_database()
        make_fans(1, self.url)  # in an empty database `up` would make the demo
        self.statements = StatementCounter(self.env["DATABASE_URL"])
        self.start_everything()
        self.set_gateway(latency=0, failures=0)

    def set_gateway(self, *, latency: float, failures: float, mail_seconds: float = 0.0) -> None:
        """And how long the mail server takes for a mail. Also forgets which calls were counted."""
        values = {"latency": latency, "failures": failures, "mail_seconds": mail_seconds}
        httpx.post(f"{self.gateway_url}/bench", json=values).raise_for_status()

    def outside_counts(self) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"{self.gateway_url}/bench").json()
        return found

    def has_every_process(self) -> bool:
        kinds = machine.processes_by_kind()
        return {"web", "worker", "ticker", "beat"} <= kinds.keys()


def run(names: list[str], options: Options) -> dict[str, Any]:
    """Run these benchmarks one after the other on one site."""
    site = WholeSite(options)
    try:
        until(site.has_every_process, seconds=60)
        results = {}
        for name in names:
            report = site.report(name)
            import_module(f"bench.{name}").measure(site, options, report)
            results[name] = report.end()
        return results
    finally:
        site.stop()
