"""The keys of lanes: who may join which lane, and each key for one person only.

Joining everybody's lane reads no table. A key is taken in PostgreSQL before the line is joined; it
stays with its person, who may leave and join again.
"""

import hmac
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from ticketing.accounts.models import User
from ticketing.core.errors import NotFound
from ticketing.core.throttle import RateLimit
from ticketing.events.selectors import require_own_sale
from ticketing.events.services import KnownPerson, entry_rule
from waiting_queue import errors, store
from waiting_queue.models import Lane, LaneKey
from waiting_queue.selectors.standings import LIVE
from waiting_queue.services.challenges import Newcomer
from waiting_queue.services.fans import join
from waiting_queue.store import Standing

# Codes are long enough that nobody guesses one at this pace.
TRY_CODE = RateLimit("try_code", 20, 600, "Codes of lanes tried by one person for one event.")
Key = Lane.Key


def join_lane(
    *,
    event_id: int,
    person: str,
    now: datetime,
    browser: str = "",
    lane: int | None = None,
    code: str = "",
    known: KnownPerson | None = None,
    newcomer: Newcomer | None = None,
) -> Standing:
    """Join the lane that is asked for, or that the code is for; without either, everybody's."""
    chosen = 0
    if lane or code:
        require_own_sale(event_id=event_id, person_id=int(person))
        if known:
            entry_rule(event_id).check(known)
        chosen = take_key(event_id=event_id, person=person, lane=lane, code=code, now=now)
    who: Any = {"event_id": event_id, "person": person, "now": now}
    return join(**who, browser=browser, lane=chosen, known=known, newcomer=newcomer)


def require_key(*, event_id: int, person: str, lane: int, now: datetime) -> None:
    """Refuse whoever has no key of this lane; an address on its list is one, and is taken."""
    lanes, user = Lane.objects.filter(queue_id=event_id, number=lane), User.objects.get(pk=person)
    if _taken_key(lanes, person, ""):
        return
    key = _find_key(lanes, user, "")
    if key is None:
        raise errors.PartyNeedsKey()
    _take(key, user, now)


def take_key(*, event_id: int, person: str, lane: int | None, code: str, now: datetime) -> int:
    """Take the key for this person, unless they have it already; return the number of its lane."""
    lanes: QuerySet[Lane] = Lane.objects.filter(queue_id=event_id).exclude(key=Key.NONE)
    if lane:
        lanes = lanes.filter(number=lane)
    if lane and not lanes.exists():
        raise NotFound()
    found = store.run(store.peek(event_id, person, now))
    if found.state in LIVE:
        if not found.lane or lane not in (None, found.lane):
            raise errors.InAnotherLane()
        return found.lane  # joining twice changes nothing, and takes no key
    if taken := _taken_key(lanes, person, code):
        return taken.lane.number
    if code:
        TRY_CODE.count(f"{event_id}:{person}")
    user = User.objects.get(pk=int(person))
    key = _find_key(lanes, user, code)
    if key is None:
        asks_code = bool(code) or any(one.key in Lane.ENTERED for one in lanes)
        raise errors.LaneKeyUnknown() if asks_code else errors.NotOnLaneList()
    _take(key, user, now)
    return key.lane.number


def digests(kind: str, *, email: str, code: str) -> list[str]:
    """Return what a key is kept as, under the present and every earlier secret of the site."""
    match kind:
        case Key.CODES | Key.INVITATION:
            text = normal_code(code)
        case Key.MEMBERS:
            text = f"{normal_email(email)} {normal_code(code)}"
        case _:
            text = normal_email(email)
    family = "code" if kind in Lane.GENERATED else kind
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [
        hmac.digest(f"lane key:{secret}".encode(), f"{family}:{text}".encode(), sha256).hex()
        for secret in secrets
    ]


def normal_code(code: str) -> str:
    """Spaces, hyphens and the case of letters don't matter."""
    return "".join(letter for letter in code.upper() if letter.isalnum())


def normal_email(email: str) -> str:
    return User.objects.normalize_email(email)


def _taken_key(lanes: QuerySet[Lane], person: str, code: str) -> LaneKey | None:
    """Return the key that this person took before: with its code, or without any."""
    keys = LaneKey.objects.filter(lane__in=lanes, person_id=int(person)).select_related("lane")
    if code:
        known = digests(Key.CODES, email="", code=code)
        keys = keys.filter(Q(digest__in=known) | Q(lane__key=Key.MEMBERS))
    return keys.first()


def _find_key(lanes: QuerySet[Lane], user: User, code: str) -> LaneKey | None:
    """A code is looked for in the lanes that have codes, an address in the others."""
    for lane in lanes:
        if (lane.key in Lane.ENTERED) == bool(code):
            known = digests(lane.key, email=user.email, code=code)
            key = LaneKey.objects.filter(lane=lane, digest__in=known).select_related("lane").first()
            if key:
                return key
    return None


def _take(key: LaneKey, user: User, now: datetime) -> None:
    """Take the key. One of all who try at once gets it: only a free or own row is written."""
    free = LaneKey.objects.filter(Q(used_at=None) | Q(person=user), pk=key.pk)
    try:
        with transaction.atomic():
            taken = free.update(person=user, used_at=now)
    except IntegrityError:
        return  # they took another key of this lane at the same moment
    if not taken:
        raise errors.LaneKeyUsed()
