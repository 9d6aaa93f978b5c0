"""What happens to the hosts during a sale. Afterwards everything is complete again."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from bench.cluster.hosts import Host
from bench.cluster.postgres import wait_until
from bench.cluster.site import ClusterSite
from bench.cluster.valkey import ValkeyNode
from ticketing.rehearsal.simulator.faults import Fault

DETECTION_SECONDS = 2.0  # until an operator, or a tool, decides that a host is gone

Act = Callable[[ClusterSite, float], None]


def faults(site: ClusterSite, return_seconds: float) -> list[Fault]:
    """Those that this site can have; its clocks differ and it has several beats all the time.

    Each must be over so many seconds after its hosts are back.
    """
    possible: list[tuple[str, str, Act]] = [
        ("database host killed", "the primary database's host dies", kill_database),
        ("database host cut off", "the primary database's host is cut off", cut_off_database),
        ("standby host killed", "the standby database's host dies", kill_standby),
        ("valkey host killed", "the primary Valkey's host dies", kill_valkey),
        ("valkey host cut off", "the primary Valkey's host is cut off", cut_off_valkey),
    ]
    if len(site.applications) > 1:
        possible += [
            ("application host killed", "an application host dies", kill_application),
            ("application host cut off", "an application host is cut off", cut_off_application),
        ]
    return [
        Fault(name, words, _in_thread(site, act, return_seconds)) for name, words, act in possible
    ]


def _in_thread(site: ClusterSite, act: Act, return_seconds: float) -> Any:
    async def cause(processes: object, seconds: float) -> bool:
        def run() -> bool:
            act(site, seconds)
            try:
                wait_until(lambda: is_complete(site), return_seconds)
                if site.cluster:
                    site.cluster.restore_primaries(return_seconds)
            except AssertionError:  # the other faults are caused all the same
                return False
            return True

        return await asyncio.to_thread(run)

    return cause


def is_complete(site: ClusterSite) -> bool:
    redis = site.valkeys.is_complete() and (not site.cluster or site.cluster.is_complete())
    return redis and all(site.is_ready(host) for host in site.applications)


# -- applications ---------------------------------------------------------------------------------


def kill_application(site: ClusterSite, seconds: float) -> None:
    host = site.applications[-1]
    with site.changing:
        host.kill()
    time.sleep(seconds)
    with site.changing:
        site.start_application(host)


def cut_off_application(site: ClusterSite, seconds: float) -> None:
    """The second host is cut off, whose clock is ahead; its ticker and beat go on alone."""
    host = site.applications[1]
    host.cut_off()
    time.sleep(seconds)
    host.reconnect()


# -- database -------------------------------------------------------------------------------------


def kill_database(site: ClusterSite, seconds: float) -> None:
    site.database.primary.host.kill()
    time.sleep(DETECTION_SECONDS)
    _promote(site, seconds)


def cut_off_database(site: ClusterSite, seconds: float) -> None:
    """Its commits wait for a standby that does not hear them. It is switched off before it comes
    back, or it would believe to be the primary."""
    old = site.database.primary.host
    old.cut_off()
    time.sleep(DETECTION_SECONDS)
    old.kill()
    old.reconnect()
    _promote(site, seconds)


def _promote(site: ClusterSite, seconds: float) -> None:
    pair = site.database
    pair.fail_over()
    site.poolers[pair.primary.host.name].start()
    time.sleep(seconds)
    pair.join()
    site.poolers[pair.standby.host.name].start()


def kill_standby(site: ClusterSite, seconds: float) -> None:
    """Commits wait until the primary is told to go on alone."""
    pair = site.database
    pair.standby.host.kill()
    time.sleep(DETECTION_SECONDS)
    pair.primary.follow(None)
    time.sleep(seconds)
    pair.join()
    site.poolers[pair.standby.host.name].start()


# -- Valkey ---------------------------------------------------------------------------------------


def kill_valkey(site: ClusterSite, seconds: float) -> None:
    victim = _valkey_victim(site)
    victim.kill()
    time.sleep(seconds)
    _start_valkeys(site, victim)


def cut_off_valkey(site: ClusterSite, seconds: float) -> None:
    victim = _valkey_victim(site)
    victim.cut_off()
    time.sleep(seconds)
    victim.reconnect()


def _valkey_victim(site: ClusterSite) -> Host:
    """The host of the primary; with a cluster it has at least one of that, too."""
    primary: ValkeyNode | None = site.valkeys.primary()
    assert primary is not None, "Sentinel names no primary"
    return primary.host


def _start_valkeys(site: ClusterSite, host: Host) -> None:
    group, cluster = site.valkeys, site.cluster
    for node in (node for node in group.nodes if node.host is host):
        group.start_node(node)
    for sentinel in (each for each in group.sentinels if each.host is host):
        group.start_sentinel(sentinel)
    if cluster:
        for node in (node for node in cluster.nodes if node.host is host):
            cluster.start_node(node)
