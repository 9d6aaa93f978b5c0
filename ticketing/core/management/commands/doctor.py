"""Says which limits of this machine are too low for a crowd."""

import resource
from typing import Any

from django.core.management.base import BaseCommand

from ticketing.core import listen_queue

ENOUGH_FILES = 20_000  # a server process needs one for each open page


class Command(BaseCommand):
    help = "Check the limits of this machine: the listen queue and open files."
    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        findings = [*_listen_queue(), *_open_files()]
        for finding in findings:
            self.stdout.write(self.style.WARNING(finding))
        if not findings:
            self.stdout.write("The limits of this machine are high enough for a crowd.")


def _listen_queue() -> list[str]:
    allowed = listen_queue.longest_allowed()
    if allowed is None or allowed >= listen_queue.ENOUGH:
        return []
    return [
        f"net.core.somaxconn is {allowed}: connections beyond that are dropped when a sale opens. "
        f"Set it to {listen_queue.LONGEST}: sysctl -w net.core.somaxconn={listen_queue.LONGEST}"
    ]


def _open_files() -> list[str]:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= ENOUGH_FILES:
        return []
    return [
        f"A process may open {soft} files, and each open page needs one. "
        f"Raise the limit (ulimit -n, LimitNOFILE=) to {ENOUGH_FILES} or more."
    ]
