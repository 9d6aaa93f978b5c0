"""What stops a rehearsal becomes an error of the command, with its exit code."""

import asyncio

import pytest
from django.core.management.base import CommandError
from django.db import OperationalError

from ticketing.development.embedded.errors import CannotRun
from ticketing.rehearsal.management.errors import (
    STOPPED,
    USAGE,
    failures_as_command_errors,
    stop_as_command_error,
)
from ticketing.rehearsal.simulator.site import SiteRefused, SiteUnreachable


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (SiteRefused(403, "forbidden", "No."), "does not accept this token"),
        (SiteRefused(404, "not_found", "No."), "no such event"),
        (SiteRefused(409, "illegal_move", "No."), "The site refuses: No."),
        (SiteUnreachable("refused"), "does not answer"),
        (CannotRun("no port"), "no port"),
        (OperationalError("down"), "Is the site running"),
    ],
    ids=lambda it: getattr(it, "code", type(it).__name__),
)
def test_a_failure_is_a_message_and_a_wrong_usage(failure, text):
    with pytest.raises(CommandError, match=text) as error, failures_as_command_errors():
        raise failure

    assert error.value.returncode == USAGE


@pytest.mark.parametrize("stop", [KeyboardInterrupt, asyncio.CancelledError])
def test_a_stop_has_its_own_exit_code(stop):
    with pytest.raises(CommandError) as error, stop_as_command_error():
        raise stop

    assert error.value.returncode == STOPPED
