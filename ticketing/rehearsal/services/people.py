"""The people of a rehearsal: accounts that nobody owns, logged in like everybody."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.crypto import salted_hmac

from ticketing.accounts import services as accounts
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.hearing import rehearsal_under_way

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
    """The same numbers are the same people, with the same sessions, however often it is asked."""
    rehearsal = rehearsal_under_way(code, now=now)
    names = {f"fan-{number}{rehearsal.domain}": f"Fan {number}" for number in numbers}
    users = accounts.create_users(names=names, now=now)
    keys = [session_key(rehearsal, number) for number in numbers]
    accounts.open_sessions(sessions=dict(zip(keys, users, strict=True)), now=now)
    return [
        Person(number, user.pk, user.email, key)
        for number, user, key in zip(numbers, users, keys, strict=True)
    ]


def session_key(rehearsal: Rehearsal, number: int) -> str:
    """Known to us again, and to nobody who does not know the site's secret."""
    words = f"{rehearsal.code}/{rehearsal.copy}/{number}"
    return salted_hmac(SALT, words, algorithm="sha256").hexdigest()[:KEY_LENGTH]
