"""How many people can join, and how many can open a socket, in a second: nothing is spread here.

The clients run on the same machine.
"""

import json
import subprocess
import sys
import time
from dataclasses import asdict

from bench.database import prepare_database
from bench.live import servers_of
from bench.options import Options
from bench.queue_http import every_second, tick
from bench.report import Report
from bench.site import BenchSite
from bench.storm import EVENT, prepare_people
from bench.storm_clients import Job

PEOPLE = 5_000


def run(options: Options) -> Report:
    people = options.people or PEOPLE
    site = BenchSite(options)
    report = site.report("opening")
    try:
        prepare_database()
        sessions = prepare_people(people)
        with servers_of(site, site.processes) as servers, every_second(tick):
            job = Job(servers.port, EVENT, sessions, 1, time.time(), 0, 0)
            given = {"job": asdict(job), "servers": [each.pid for each in servers.processes]}
            command = [sys.executable, "-m", "bench.opening_clients"]
            printed = subprocess.run(
                command, input=json.dumps(given), stdout=subprocess.PIPE, text=True, check=True
            ).stdout
        rows = json.loads(printed)
        both = {name: sum(row[name] for row in rows.values()) for name in ("web CPU ms",)}
        report.table(f"{people:,} people, one after the other", rows | {"both": both})
    finally:
        site.stop()
    return report
