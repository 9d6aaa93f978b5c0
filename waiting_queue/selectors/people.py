"""People as operators look them up."""

from dataclasses import dataclass
from datetime import UTC, datetime

from ticketing.accounts.models import User
from waiting_queue import errors, store
from waiting_queue.models import QueueJournal, SaleQueue
from waiting_queue.selectors.standings import LIVE
from waiting_queue.store import Standing


@dataclass(frozen=True)
class PersonInQueue:
    """`blocked_why` is None unless the person is blocked."""

    user: User
    standing: Standing
    blocked_why: str | None

    @property
    def in_line(self) -> bool:
        return self.standing.state in LIVE


def people_inside() -> dict[int, dict[str, datetime]]:
    """Everybody inside of each running queue, and when they came in."""
    running = SaleQueue.objects.filter(state__in=SaleQueue.RUNNING).values_list("pk", flat=True)
    inside = {event_id: store.people_inside(event_id) for event_id in running}
    return {
        event_id: {who: datetime.fromtimestamp(ms / 1000, UTC) for who, ms in people.items()}
        for event_id, people in inside.items()
        if people
    }


def user_with_email(email: str) -> User:
    user = User.objects.with_email(email).first()
    if user is None:
        raise errors.PersonUnknown()
    return user


def user_by_email_or_number(*, event_id: int, text: str) -> User:
    """Return the user with this e-mail address, or with this number in the line, now or before."""
    number = text.strip().lstrip("#").replace(",", "")
    if number.isdigit() and len(number) < 19:
        return user_with_number(event_id=event_id, number=int(number))
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
    return PersonInQueue(user, standing, store.block_reason(event_id, person))
