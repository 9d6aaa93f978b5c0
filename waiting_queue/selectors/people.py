"""People as operators look them up."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue import errors, store
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.models import QueueBypass, QueueJournal, SaleQueue
from waiting_queue.selectors.standings import LIVE
from waiting_queue.selectors.tick_queues import running_events
from waiting_queue.store import Standing

MAX_LISTED = 5_000
# As `number_label` writes it: 17, or 1-17 in lane 1.
NUMBER = r"(?:([0-9]{1,2})-)?([0-9]{1,10})"
ONE_NUMBER = re.compile(NUMBER)
NUMBERS = re.compile(f"#{NUMBER}(?:-#{NUMBER})?")


@dataclass(frozen=True)
class PersonInQueue:
    """`blocked_why` is None unless they are blocked; `bypass_why`, unless they need not wait.

    `cool_down_minutes`: until they may hold seats again, because holds ran out repeatedly.
    """

    user: User
    standing: Standing
    blocked_why: str | None
    bypass_why: str | None = None
    cool_down_minutes: int = 0

    @property
    def in_line(self) -> bool:
        return self.standing.state in LIVE

    @property
    def leads(self) -> bool:
        return self.standing.leader == str(self.user.pk)

    @property
    def movable(self) -> bool:
        """Whether they have a place that can be moved to the end of the line."""
        return self.standing.state in {"waiting", "ready"}


def people_inside() -> dict[int, dict[str, datetime]]:
    """Everybody inside of each running queue, and when they came in."""
    filled = store.events_with_people_inside(running_events())
    inside = {event_id: store.people_inside(event_id) for event_id in filled}
    return {
        event_id: {who: datetime.fromtimestamp(ms / 1000, UTC) for who, ms in people.items()}
        for event_id, people in inside.items()
        if people
    }


def lines_of(*, person: str, now: datetime) -> list[int]:
    """The events in whose line somebody is, called or inside included; one round trip for all."""
    running = SaleQueue.objects.filter(state__in=SaleQueue.RUNNING).values_list("pk", flat=True)
    events = list(running)
    found = store.run_all([store.peek(event_id, person, now) for event_id in events])
    return [pk for pk, standing in zip(events, found, strict=True) if standing.state in LIVE]


def user_with_email(email: str) -> User:
    user = User.objects.with_email(email).first()
    if user is None:
        raise errors.PersonUnknown()
    return user


def user_by_email_or_number(*, event_id: int, text: str) -> User:
    """Return the user with this e-mail address, or with this number in the line, now or before."""
    if found := ONE_NUMBER.fullmatch(text.strip().lstrip("#").replace(",", "")):
        return user_with_number(event_id=event_id, number=_number(*found.groups()))
    return user_with_email(text.strip())


def user_with_number(*, event_id: int, number: int) -> User:
    """Redis knows the numbers of those who wait, the journal those of everybody else."""
    person: str | int | None = store.person_with_number(event_id, number)
    if person is None:
        entries = QueueJournal.objects.filter(event_id=event_id, number=number)
        person = entries.order_by("-pk").values_list("person", flat=True).first()
    user = User.objects.filter(pk=person).first() if person is not None else None
    if user is None or not number:
        raise errors.NumberUnknown()
    return user


def person_in_queue(*, event_id: int, user: User, now: datetime) -> PersonInQueue:
    """Return where somebody is, without counting as a sign of life that keeps their place."""
    person = str(user.pk)
    standing = store.run(store.peek(event_id, person, now))
    bypasses = QueueBypass.objects.filter(queue_id=event_id, person=user, ended_at=None)
    bypass_why = bypasses.values_list("reason", flat=True).first()
    minutes = -(-store.cool_down_ms(event_id, person) // 60_000)
    return PersonInQueue(user, standing, store.block_reason(event_id, person), bypass_why, minutes)


@dataclass(frozen=True)
class PeopleList:
    """The people of a list that somebody typed or uploaded, and the entries that name nobody."""

    people: list[str]
    unknown: list[str]


def people_listed(*, event_id: int, text: str) -> PeopleList:
    """Return the people of a list: e-mail addresses, `#number`, `#first-#last`, account ids.

    A number in a lane is `#lane-number`; `#1-12-#40` are those from 12 to 40 of lane 1.
    """
    entries = dict.fromkeys(entry for entry in re.split(r"[\s,;]+", text) if entry)
    if len(entries) > MAX_LISTED:
        message = _("At most %(most)s entries at a time.") % {"most": MAX_LISTED}
        raise InvalidInput(fields={"people": [message]})
    found = _with_emails(entries) | _with_ids(entries)
    for entry in entries:
        if numbers := NUMBERS.fullmatch(entry):
            lane, number, last_lane, last_number = numbers.groups()
            first = _number(lane, number)
            last = _number(last_lane or lane, last_number) if last_number else first
            found[entry] = store.people_with_numbers(event_id, first, last, most=MAX_LISTED)
    people = dict.fromkeys(person for entry in entries for person in found.get(entry, ()))
    return PeopleList(list(people), [entry for entry in entries if not found.get(entry)])


def _number(lane: str | None, number: str) -> int:
    return int(lane or 0) * LANE_NUMBERS + int(number)


def _with_emails(entries: Iterable[str]) -> dict[str, list[str]]:
    spellings = {entry: User.objects.normalize_email(entry) for entry in entries if "@" in entry}
    users = User.objects.alias(lowered=Lower("email")).filter(lowered__in=spellings.values())
    known = {email: str(pk) for email, pk in users.values_list(Lower("email"), "pk")}
    return {entry: [known[email]] for entry, email in spellings.items() if email in known}


def _with_ids(entries: Iterable[str]) -> dict[str, list[str]]:
    ids = [entry for entry in entries if entry.isdecimal() and len(entry) < 19]
    known = User.objects.filter(pk__in=ids).values_list("pk", flat=True)
    return {str(pk): [str(pk)] for pk in known}
