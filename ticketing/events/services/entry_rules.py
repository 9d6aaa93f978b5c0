"""Who may join, hold, buy and go on standby: what an event asks to know about a person.

The rule of an event is read once or twice a second by each process, so a change works within a
second, also for people who wait. What is known about a person is in their session.
"""

from dataclasses import dataclass
from typing import Protocol
from zoneinfo import ZoneInfo

from ticketing.accounts.errors import EmailNotConfirmed, IdentityNotVerified, TooYoung
from ticketing.accounts.selectors import abirth_year, birth_year
from ticketing.core.error_responses import OUTAGES
from ticketing.core.fast_path.threads import acached
from ticketing.core.ttl_cache import clearable, ttl_cache
from ticketing.core.venue_time import HOME_ZONE
from ticketing.events.models import Event

Level = Event.IdentityLevel
SEOUL = ZoneInfo(HOME_ZONE)


class KnownPerson(Protocol):
    """What a session or a token says about its owner."""

    @property
    def is_confirmed(self) -> bool: ...

    @property
    def birth_year(self) -> int: ...


@dataclass(frozen=True)
class EntryRule:
    event_id: int
    level: str = Level.EMAIL
    minimum_age: int = 0
    year: int = 0  # of the event, in Seoul

    def check(self, person: KnownPerson) -> None:
        """Refuse whoever has not shown what the event asks for."""
        if self.level != Level.NONE and not person.is_confirmed:
            raise EmailNotConfirmed()
        self.check_identity(person.birth_year)

    def check_identity(self, birth_year: int, *, is_asked: bool = False) -> None:
        """As Korean law counts for minors, an age is reached on the first day of the year."""
        if self.level != Level.IDENTITY and not is_asked:
            return
        if not birth_year:
            raise IdentityNotVerified(event=self.event_id)
        if self.year - birth_year < self.minimum_age:
            raise TooYoung(age=self.minimum_age)


_last_known: dict[int, EntryRule] = clearable({})


@ttl_cache(1)
def entry_rule(event_id: int) -> EntryRule:
    """Return the rule of an event; of an unknown one the usual rule, as it is refused later.

    While the database is down the last one known counts, so that people can still join.
    """
    fields = "identity_level", "minimum_age", "starts_at"
    try:
        found = Event.objects.filter(pk=event_id).values_list(*fields).first()
    except OUTAGES:
        if event_id in _last_known:
            return _last_known[event_id]
        raise
    if found is None:
        return EntryRule(event_id)
    level, minimum_age, starts_at = found
    rule = EntryRule(event_id, level, minimum_age, starts_at.astimezone(SEOUL).year)
    _last_known[event_id] = rule
    return rule


async def aentry_rule(event_id: int) -> EntryRule:
    return await acached(entry_rule, event_id)


def require_identity(*, event_id: int, person_id: int, is_asked: bool = False) -> None:
    """Refuse whoever is not verified or too young; SQL only where the event asks for it.

    `is_asked`: an operator asks this person, whatever the event does.
    """
    rule = entry_rule(event_id)
    if rule.level == Level.IDENTITY or is_asked:
        rule.check_identity(birth_year(person_id), is_asked=is_asked)


async def arequire_identity(*, event_id: int, person_id: int, is_asked: bool = False) -> None:
    rule = await aentry_rule(event_id)
    if rule.level == Level.IDENTITY or is_asked:
        rule.check_identity(await abirth_year(person_id), is_asked=is_asked)
