"""What the operators' commands share: an event, a reason, and refusals in plain words."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from ticketing.core import clock
from ticketing.core.error_responses import OUTAGES, error_of
from ticketing.core.errors import DomainError
from waiting_queue import services
from waiting_queue.models import SaleQueue

SHELL = "from the command line"


class QueueCommand(BaseCommand):
    """A subclass says what it does in `act`; a refusal becomes one line and exit code 1."""

    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        with translation.override("en"):
            try:
                self.act(**options)
            except DomainError as refusal:
                raise CommandError(words_of(refusal)) from None
            except OUTAGES as outage:
                raise CommandError(f"{error_of(outage)} ({outage})") from None

    def act(self, **options: Any) -> None:
        raise NotImplementedError

    def add_event(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", type=int, metavar="EVENT", help="Number of the event.")

    def add_signature(self, parser: ArgumentParser) -> None:
        parser.add_argument("--why", default="", help="Kept in the queue's history.")
        parser.add_argument("--by", default="", metavar="EMAIL", help="Operator who does this.")

    def signed(self, *, by: str, why: str, **_: Any) -> dict[str, Any]:
        """Who, why and when, as every service wants to know it."""
        user = services.person_with_email(by) if by else None
        reason = why if user else f"{why} ({SHELL})" if why else SHELL
        return {"by": user, "why": reason, "now": clock.now()}

    def tell(self, queue: SaleQueue) -> None:
        """Whether the change is at work, and what the knobs mean together."""
        seen = services.overview(queue, now=clock.now())
        if not seen.reachable:
            self.stderr.write(
                "Saved, but Redis can't be reached: it works as soon as it answers again."
            )
        for words in services.warnings_of(queue, seen):
            self.stderr.write(f"Mind: {words}")


def words_of(refusal: DomainError) -> str:
    fields = refusal.details.get("fields", {})
    if not fields:
        return " ".join(filter(None, [str(refusal), str(refusal.advice)]))
    return "\n".join(f"{_named(name)}{' '.join(why)}" for name, why in fields.items())


def _named(name: str) -> str:
    return "" if name == "__all__" else f"{name}: "
