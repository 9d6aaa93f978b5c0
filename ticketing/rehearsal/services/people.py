"""The accounts of a rehearsal: nobody owns them, and each has a session like after a log-in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.crypto import salted_hmac

from ticketing.accounts import services as accounts
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.runner_contact import running_rehearsal_for_update

SALT = "ticketing.rehearsal.people"
KEY_LENGTH = 32


@dataclass(frozen=True)
class Person:
    number: int
    id: int
    email: str
    session: str


@transaction.atomic
def make_people(*, code: str, numbers: Sequence[int], now: datetime) -> list[Person]:
    """Create accounts and sessions; a repeat returns the same ones for the same numbers."""
    rehearsal = running_rehearsal_for_update(code, now=now)
    names = {f"fan-{number}{rehearsal.domain}": f"Fan {number}" for number in numbers}
    users = accounts.create_users(names=names, now=now)
    keys = [session_key(rehearsal, number) for number in numbers]
    accounts.open_sessions(sessions=dict(zip(keys, users, strict=True)), now=now)
    return [
        Person(number, user.pk, user.email, key)
        for number, user, key in zip(numbers, users, keys, strict=True)
    ]


def session_key(rehearsal: Rehearsal, number: int) -> str:
    """The same key for every repeat, which nobody can guess without the site's secret."""
    name = f"{rehearsal.code}/{rehearsal.copy}/{number}"
    return salted_hmac(SALT, name, algorithm="sha256").hexdigest()[:KEY_LENGTH]
