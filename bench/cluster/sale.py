"""One sale on the cluster, with everything that may happen to hosts, and the judge's verdict."""

import argparse
import sys
from pathlib import Path
from typing import cast

import django
from django.utils import translation

from bench.cluster.faults import faults
from bench.cluster.site import CLOCK_SHIFT, ClusterSite
from bench.cluster.size import choose_size
from ticketing.rehearsal.simulator.history import RUNNER, Folder
from ticketing.rehearsal.simulator.process_control import ProcessControl
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.result import judge_folder
from ticketing.rehearsal.simulator.runner import Options, rehearse
from ticketing.rehearsal.simulator.site import SiteClient
from ticketing.rehearsal.simulator.terminal import dashboard, verdict_table
from ticketing.rehearsal.simulator.terminal.text import paint_for

# What people note beside their HTTP calls.
NOT_CALLS = {"arrive", "connect", "disconnect", "push", "end"}


async def run(queue_on_cluster: bool, options: argparse.Namespace, folder: Path) -> bool:
    """True if everything that was promised held."""
    size = choose_size(
        fans=options.fans, minutes=options.minutes, return_seconds=options.return_seconds
    )
    kind = "the queue on a cluster of six" if queue_on_cluster else "Sentinel"
    print(f"\nStarting {options.hosts} application hosts, {kind} …\n{size}", flush=True)
    with ClusterSite.started(
        folder, hosts=options.hosts, queue_on_cluster=queue_on_cluster
    ) as site:
        django.setup()  # for the words of the verdicts
        print(f"Ready: {site.url}. Clocks are {CLOCK_SHIFT:g} s apart.", flush=True)
        wanted = [
            fault for fault in faults(site, size.return_seconds) if options.only in fault.name
        ]
        async with SiteClient(site.url, site.token) as client:
            choices = Options(
                event=1,
                fans=size.fans,
                minutes=size.minutes,
                seed=options.seed,
                knobs={"admit_per_second": size.admit_per_second},
                extension=len(wanted) * size.return_seconds,
                folder=folder / "records",
            )
            with site.supervised():
                counts_only = cast(ProcessControl, site)  # it kills nothing: `faults` do
                records = await rehearse(choices, client, counts_only, _show, wanted)
            result = judge_folder(records)
        died = dict(site.died)
    with translation.override("en"):
        print("\n".join(verdict_table.lines(result.verdicts, paint_for(sys.stdout))))
    print("\n".join(_fault_lines(records)))
    missed = records.load("setting").get("faults_not_caused") or []
    if missed:
        print(f"Not caused, or not over in time: {missed}")
    if died:
        print(f"Ended by themselves, and were started again: {died}")
    counts = result.report["counts"]
    print(
        f"{counts['people']} people, {counts['sold']} seats sold, {counts['silent']} silent calls"
    )
    print(f"Asked for: {size}")
    return result.ok and not missed


async def _show(progress: Progress) -> None:
    await dashboard.show(progress, sys.stdout)


def _fault_lines(records: Folder) -> list[str]:
    """Each fault with what was refused meanwhile and how long it took until all hosts were back."""
    everything = list(records.records())
    calls = [each for each in everything if each.user != RUNNER and each.action not in NOT_CALLS]
    lines = []
    for fault in (each for each in everything if each.action == "fault"):
        during = [call for call in calls if fault.began <= call.began <= fault.ended]
        refused = sum(call.status == 503 for call in during)
        over = f"{'over' if fault.done else 'not over'} after {fault.ended - fault.began:.0f} s"
        counts = f"{refused:>4} of {len(during):>4} calls refused"
        lines.append(f"{fault.data['description']:<44} {counts}, {over}")
    return lines
