"""What stops a rehearsal, as errors of its command with a message and an exit code."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import OperationalError

from ticketing.development.embedded.errors import CannotRun
from ticketing.rehearsal.errors import NoSuperuser
from ticketing.rehearsal.simulator.site import SiteRefused, SiteUnreachable

BROKEN, USAGE, STOPPED = 1, 2, 130  # exit codes


@contextmanager
def stop_as_command_error() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise CommandError("Stopped.", returncode=STOPPED) from None


@contextmanager
def failures_as_command_errors() -> Iterator[None]:
    try:
        yield
    except SiteRefused as refusal:
        raise CommandError(refusal_text(refusal), returncode=USAGE) from None
    except SiteUnreachable as failure:
        raise CommandError(f"The site does not answer: {failure}", returncode=USAGE) from None
    except (NoSuperuser, CannotRun) as failure:
        raise CommandError(str(failure), returncode=USAGE) from None
    except OperationalError as outage:
        text = f"The site's database can't be reached. Is the site running? {outage}"
        raise CommandError(text.strip(), returncode=USAGE) from None


def refusal_text(refusal: SiteRefused) -> str:
    if refusal.status in (401, 403):
        return f"The site does not accept this token: {refusal.message}"
    if refusal.code == "not_found":
        return "The site has no such event."
    named = f" ({', '.join(refusal.fields)})" if refusal.fields else ""
    return f"The site refuses: {refusal.message}{named}"
