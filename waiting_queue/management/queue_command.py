"""The base class of the operators' commands: common arguments, and errors as one line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from ticketing.core import clock
from ticketing.core.error_responses import OUTAGES, error_of
from ticketing.core.errors import DomainError
from waiting_queue import selectors
from waiting_queue.models import SaleQueue

SHELL = "from the command line"


class QueueCommand(BaseCommand):
    """Subclasses implement `act`; an error ends the command with one line and exit code 1."""

    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        with translation.override("en"):
            try:
                self.act(**options)
            except DomainError as refusal:
                raise CommandError(error_text(refusal)) from None
            except OUTAGES as outage:
                raise CommandError(f"{error_of(outage)} ({outage})") from None

    def act(self, **options: Any) -> None:
        raise NotImplementedError

    def add_event(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", type=int, metavar="EVENT", help="Number of the event.")

    def add_audit_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--why", default="", help="Kept in the queue's history.")
        parser.add_argument("--by", default="", metavar="EMAIL", help="Operator who does this.")

    def audit_fields(self, *, by: str, why: str, **_: Any) -> dict[str, Any]:
        """Return the arguments of every service that writes an audit row: who, why and when."""
        user = selectors.user_with_email(by) if by else None
        reason = why if user else f"{why} ({SHELL})" if why else SHELL
        return {"by": user, "why": reason, "now": clock.now()}

    def write_warnings(self, queue: SaleQueue) -> None:
        """Write to stderr if the change has no effect yet, or knobs don't fit each other."""
        overview = selectors.overview(queue, now=clock.now())
        if not overview.reachable:
            self.stderr.write(
                "Saved, but Redis can't be reached: it works as soon as it answers again."
            )
        for warning in selectors.queue_warnings(queue, overview):
            self.stderr.write(f"Mind: {warning}")


def error_text(error: DomainError) -> str:
    fields = error.details.get("fields", {})
    if not fields:
        return " ".join(filter(None, [str(error), str(error.advice)]))
    return "\n".join(
        ("" if name == "__all__" else f"{name}: ") + " ".join(messages)
        for name, messages in fields.items()
    )
