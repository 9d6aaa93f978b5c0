"""What the system does about strong groups: it moves them to the end of the line, with the reason,
and asks them to verify who they are before they hold seats.

Nobody is dropped. Whoever verifies has the old place back within seconds; everybody may appeal.
Until they verify they are not called, and stay behind whoever comes later. What operators undo
stays undone.
"""

import logging
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef

from ticketing.accounts.selectors import verified_among, verified_since
from ticketing.core.prepared_queries import PreparedQuery
from ticketing.core.ttl_cache import clearable
from ticketing.events.models import Event
from waiting_queue import store
from waiting_queue.models import PlaceSignals, QueueChange, SaleQueue
from waiting_queue.selectors.groups import LEAST, StrongGroup, strong_groups
from waiting_queue.services.audit_log import (
    ASKED,
    DEMOTED,
    GROUP,
    VERIFIED,
    asked_people,
    demoted_people,
    people_of_groups,
)
from waiting_queue.services.demotions import demote_people, movable_places, undo_demotion
from waiting_queue.services.signals import drain_signals
from waiting_queue.services.verification_requests import (
    ask_people_to_verify,
    withdraw_request,
    write_unverified,
)

log = logging.getLogger(__name__)
IDENTITY = Event.IdentityLevel.IDENTITY
# At most so many of all who joined are moved by the system: beyond that operators decide.
MOST = 0.75
SOON_SECONDS = 15  # three times as long as until the next look, on a busy machine
FEWEST = min(LEAST.values())  # people of a group
# The newest signals of the last two looks of this process.
_looks: dict[str, int] = clearable({})


_SIGNALS = PlaceSignals.objects.filter(event_id=OuterRef("pk"))
_GROUP_CHANGES = QueueChange.objects.filter(queue_id=OuterRef("pk"), why__startswith=GROUP)
# Few lines have anything to be handled: the others take part in this statement only.
_RUNNING_LINES: PreparedQuery[Any] = PreparedQuery(
    lambda it: (
        SaleQueue.objects.filter(state__in=SaleQueue.RUNNING)
        .exclude(epoch="")
        .annotate(
            has_crowd=Exists(_SIGNALS[FEWEST - 1 :]),  # enough people for a group
            has_newcomers=Exists(_SIGNALS.filter(pk__gt=it("after"))),
            newest=PlaceSignals.objects.order_by("-pk").values("pk")[:1],
            has_group=Exists(_GROUP_CHANGES),
        )
        .only("pk", "moves_groups")
    )
)


def handle_groups(*, now: datetime) -> int:
    """Move the groups of all running lines that do so; return how many people were moved."""
    moved = 0
    lines = _lines_to_look_at()
    unverified = store.unverified_of_each([line.pk for line in lines])
    people = store.people_of_each([line.pk for line in lines])
    for line in lines:
        try:
            if line.moves_groups and line.has_group:
                restore_verified(event_id=line.pk, now=now)
            if line.moves_groups and _may_have_new_group(line, people[line.pk]):
                moved += move_groups(event_id=line.pk, now=now)
            if line.moves_groups and line.has_group:
                keep_behind(event_id=line.pk, now=now)
            # Also if it was switched off: then nobody is kept waiting.
            if line.has_group or unverified[line.pk]:
                write_unverified(line.pk)
        except Exception:
            log.exception("queue %s: groups were not handled", line.pk)
    return moved


def _lines_to_look_at() -> list[Any]:
    """Running lines; `has_newcomers` since the look before the last one of this process.

    Not since the last one: another worker may have written signals with earlier keys after it.
    """
    lines = _RUNNING_LINES.all(after=_looks.get("before_last", 0))
    if lines:
        newest = lines[0].newest or 0
        _looks["before_last"] = _looks.get("last", 0)
        _looks["last"] = newest
    return lines


def _may_have_new_group(line: Any, people: int) -> bool:
    """Somebody came lately, or there are enough people for a group."""
    return (line.has_crowd or line.has_group) and (line.has_newcomers or people >= FEWEST)


def move_groups_of_draw(*, event_id: int, now: datetime) -> None:
    """Before anybody of the lobby is called. Never raises: a draw does not depend on it."""
    try:
        if SaleQueue.objects.filter(pk=event_id, moves_groups=True).exists():
            drain_signals()
            move_groups(event_id=event_id, now=now)
    except Exception:
        log.exception("queue %s: groups were not moved after the draw", event_id)


def move_groups(*, event_id: int, now: datetime) -> int:
    """Return how many were moved. Whoever is in the lobby has no place yet to be moved from."""
    moved = 0
    for group, people in _within_bound(event_id, strong_groups(event_id)):
        audit: dict[str, Any] = {"by": None, "why": f"{GROUP}{group.reason}", "now": now}
        if settings.PORTONE_IDENTITY_CHANNEL_KEY:  # otherwise there is no way to verify
            ask_people_to_verify(event_id=event_id, people=people, once=True, **audit)
            write_unverified(event_id)  # before they are at the end, where it may be their turn
        moved += len(demote_people(event_id=event_id, people=people, once=True, **audit))
    return moved


def restore_verified(*, event_id: int, now: datetime) -> int:
    """Give those who have verified since the system moved them their old places back."""
    requests = asked_people(event_id)
    verified = verified_since({int(it): requests[it].at for it in _of_groups(requests)})
    demoted = _of_groups(demoted_people(event_id)) if verified else set()
    for person in map(str, sorted(verified)):
        audit: dict[str, Any] = {"by": None, "why": VERIFIED, "now": now}
        withdraw_request(event_id=event_id, person=person, **audit)
        if person in demoted:
            undo_demotion(event_id=event_id, person=person, **audit)
    return len(verified)


def keep_behind(*, event_id: int, now: datetime) -> int:
    """Move those who have not verified to the end again before their turn, while others wait.

    Whoever came later would otherwise be behind them. Returns how many were moved.
    """
    demoted = demoted_people(event_id)
    places = movable_places(event_id, [*_of_groups(demoted)], now)
    waiting = {person: it for person, it in places.items() if it.state == "waiting"}
    queue = SaleQueue.objects.get(pk=event_id)
    # How many people may be called before the next look.
    rate = queue.admit_per_second or queue.max_inside / SOON_SECONDS
    soon = max(int(SOON_SECONDS * rate), 1)
    due: dict[str, list[str]] = {}
    for index, (person, place) in enumerate(waiting.items()):  # in order of their numbers
        has_others_behind = place.waiting - place.ahead > len(waiting) - index
        if place.ahead < soon and has_others_behind:
            due.setdefault(demoted[person].why, []).append(person)
    audit: dict[str, Any] = {"event_id": event_id, "by": None, "now": now}
    return sum(len(demote_people(people=it, why=why, **audit)) for why, it in due.items())


def _within_bound(
    event_id: int, groups: Collection[StrongGroup]
) -> Iterator[tuple[StrongGroup, list[str]]]:
    """The groups with those of their people who were not moved yet, largest first."""
    if not groups:
        return
    joined = PlaceSignals.objects.filter(event_id=event_id).values("person").distinct().count()
    known = people_of_groups(event_id, ASKED, DEMOTED)
    moved = people_of_groups(event_id, DEMOTED)
    verified = verified_among([person for group in groups for person in group.people])
    asks_all = SaleQueue.objects.filter(pk=event_id, event__identity_level=IDENTITY).exists()
    for group in groups:
        is_borrowed = asks_all and _are_few(verified, group)
        spared = set() if is_borrowed else verified
        people = [str(it) for it in group.people if str(it) not in moved and it not in spared]
        known.update(people)
        if len(known) > MOST * joined:
            log.warning("queue %s: so many would be moved that operators decide", event_id)
            return
        if people:
            yield group, people


def _are_few(verified: Collection[int], group: StrongGroup) -> bool:
    """Most accounts of the group tried to join without an identity: whose are the others?"""
    return 2 * sum(person in verified for person in group.people) < len(group.people)


def _of_groups(changes: Mapping[str, QueueChange]) -> set[str]:
    return {person for person, change in changes.items() if change.why.startswith(GROUP)}
