"""The accounts of a rehearsal: nobody owns them, and each has a session like after a log-in.

Their ids follow that of the rehearsal's event, which binds them to it: `events.require_own_sale`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.crypto import salted_hmac

from ticketing.accounts import services as accounts
from ticketing.events.models import Event
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.runner_contact import running_rehearsal_for_update
from waiting_queue import services as queues

SALT = "ticketing.rehearsal.people"
KEY_LENGTH = 32
NEW_EVERY = 10  # one person in so many has signed up today
IDENTITY = Event.IdentityLevel.IDENTITY


@dataclass(frozen=True)
class Person:
    number: int
    id: int
    email: str
    session: str
    lane: int = 0


@transaction.atomic
def make_people(
    *,
    code: str,
    numbers: Sequence[int],
    new: Collection[int] = (),
    unverified: Collection[int] = (),
    now: datetime,
) -> list[Person]:
    """Create accounts and sessions; a repeat returns the same ones for the same numbers.

    Those of the numbers in `new` are a few minutes old, of the others some are from today and most
    from long ago. Where the event asks for identities, all but `unverified` have one.
    """
    rehearsal = running_rehearsal_for_update(code, now=now)
    first = rehearsal.copy + 1
    names = {
        first + number: (f"fan-{number}{rehearsal.domain}", f"Fan {number}") for number in numbers
    }
    since = {first + number: now - _account_age(number, is_new=number in new) for number in numbers}
    users = accounts.create_users(names=names, since=since, now=now)
    if Event.objects.filter(pk=rehearsal.copy, identity_level=IDENTITY).exists():
        verified = [first + number for number in numbers if number not in unverified]
        accounts.verify_rehearsal_people(user_ids=verified, now=now)
    keys = [session_key(rehearsal, number) for number in numbers]
    accounts.open_sessions(sessions=dict(zip(keys, users, strict=True)), now=now)
    lanes = queues.give_lanes(
        event_id=rehearsal.copy, emails=[user.email for user in users], numbers=numbers
    )
    return [
        Person(number, user.pk, user.email, key, lanes.get(user.email, 0))
        for number, user, key in zip(numbers, users, keys, strict=True)
    ]


def _account_age(number: int, *, is_new: bool) -> timedelta:
    if is_new:
        return timedelta(minutes=1 + number % 10)
    return timedelta(hours=3) if number % NEW_EVERY == 0 else timedelta(days=40 + number % 900)


def session_key(rehearsal: Rehearsal, number: int) -> str:
    """The same key for every repeat, which nobody can guess without the site's secret."""
    name = f"{rehearsal.code}/{rehearsal.copy}/{number}"
    return salted_hmac(SALT, name, algorithm="sha256").hexdigest()[:KEY_LENGTH]
