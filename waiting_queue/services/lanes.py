"""What operators do to lanes: make and change them, and give them keys. All of it is audited."""

import csv
import io
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue.errors import LaneInUse
from waiting_queue.locks import queue_for_update
from waiting_queue.models import LANES_OR_MINUTES, MAX_LANES, Lane, LaneKey, SaleQueue
from waiting_queue.services.audit_log import LANE, LANE_KEYS, record_change
from waiting_queue.services.lane_keys import digests, normal_code

Key = Lane.Key
# Without letters and digits that look alike: 50 bits in ten of them.
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE_LENGTH, MIN_CODE_LENGTH = 10, 6
MAX_KEYS = 100_000
MAX_ERRORS = 10
HINT_LENGTH = 4


@transaction.atomic
def save_lane(
    *, lane: Lane, by: User | None, why: str = "", now: datetime, limits: dict[str, Any]
) -> Lane:
    """Save a lane, new or changed, with what it may buy; the next tick uses it."""
    queue = queue_for_update(lane.queue_id)
    if queue.mode == SaleQueue.Mode.MINUTE_DRAW:
        raise InvalidInput(fields={"queue": [LANES_OR_MINUTES]})
    before = Lane.objects.filter(pk=lane.pk).first()
    if before is None:
        lane.number = _free_number(queue, lane)
    try:
        lane.full_clean()
    except ValidationError as invalid:
        raise InvalidInput(fields=invalid.message_dict) from None
    lane.save()
    for name, chosen in limits.items():
        getattr(lane, name).set(chosen)
    values = {"before": _summary(before) if before else "", "after": _summary(lane)}
    record_change(queue, by=by, now=now, what=f"{LANE}{lane.number}", why=why, **values)
    return lane


def _summary(lane: Lane) -> str:
    opens = [f"{localtime(lane.opens_at):%Y-%m-%d %H:%M}"] if lane.opens_at else []
    return ", ".join([f"{lane}: {lane.key}", str(lane.weight), *opens])


@transaction.atomic
def delete_lane(*, lane: Lane, by: User | None, why: str = "", now: datetime) -> None:
    """Delete a lane that nobody can be in yet."""
    queue = queue_for_update(lane.queue_id)
    if queue.state != SaleQueue.State.SCHEDULED:
        raise LaneInUse()
    record_change(queue, by=by, now=now, what=f"{LANE}{lane.number}", before=lane, why=why)
    lane.delete()


def generate_codes(
    *, lane: Lane, count: int, by: User | None, why: str = "", now: datetime
) -> list[str]:
    """Make new codes and return them: they are kept as hashes, so nobody can read them again."""
    if lane.key not in Lane.GENERATED or not 1 <= count <= MAX_KEYS:
        raise InvalidInput(fields={"count": [_("This lane takes no such number of codes.")]})
    codes: set[str] = set()
    while len(codes) < count:
        codes.add("".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH)))
    add_keys(lane=lane, keys=[("", code) for code in codes], by=by, why=why, now=now)
    return sorted(codes)


def import_keys(
    *, lane: Lane, text: str, by: User | None, why: str = "", now: datetime
) -> tuple[int, int]:
    """Add the keys of a CSV; return how many are new, and how many the lane had already."""
    keys, errors = _parse(lane, text)
    if errors:
        raise InvalidInput(fields={"file": errors[:MAX_ERRORS]})
    added = add_keys(lane=lane, keys=keys, by=by, why=why, now=now)
    return added, len(keys) - added


@transaction.atomic
def add_keys(
    *,
    lane: Lane,
    keys: Sequence[tuple[str, str]],
    by: User | None,
    why: str = "",
    now: datetime,
) -> int:
    """Add keys, each an e-mail address and a code, of which one may be empty; return how many."""
    queue = queue_for_update(lane.queue_id)
    before = lane.keys.count()
    rows = [
        LaneKey(
            lane=lane,
            digest=digests(lane.key, email=email, code=code)[0],
            hint=normal_code(code)[-HINT_LENGTH:],
        )
        for email, code in keys
    ]
    LaneKey.objects.bulk_create(rows, ignore_conflicts=True, batch_size=5_000)
    added = lane.keys.count() - before
    record_change(queue, by=by, now=now, what=f"{LANE_KEYS}{lane.number}", after=added, why=why)
    return added


def give_lanes(*, event_id: int, emails: Sequence[str], numbers: Sequence[int]) -> dict[str, int]:
    """Spread a rehearsal's people over its lanes; return the lane of each who is in one."""
    lanes = list(Lane.objects.filter(queue_id=event_id, key=Key.EMAILS))
    given: dict[str, int] = {}
    rows: list[LaneKey] = []
    for email, number in zip(emails, numbers, strict=True):
        turn = number % (len(lanes) + 1)
        if turn:
            lane = lanes[turn - 1]
            given[email] = lane.number
            rows.append(LaneKey(lane=lane, digest=digests(lane.key, email=email, code="")[0]))
    LaneKey.objects.bulk_create(rows, ignore_conflicts=True, batch_size=5_000)
    return given


def record_export(*, lane: Lane, by: User | None, now: datetime) -> None:
    """Note that somebody downloaded who has used the keys of a lane."""
    what = f"{LANE_KEYS}{lane.number}"
    record_change(lane.queue, by=by, now=now, what=what, before="exported", after=lane.keys.count())


def _free_number(queue: SaleQueue, lane: Lane) -> int:
    """Everybody's lane is number 0; numbers are not used twice while the queue runs."""
    if lane.key == Key.NONE:
        return 0
    taken = set(queue.lanes.values_list("number", flat=True))
    free = next((one for one in range(1, MAX_LANES + 1) if one not in taken), None)
    if free is None:
        raise InvalidInput(fields={"key": [_("There are too many lanes.")]})
    return free


def _parse(lane: Lane, text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the keys of a CSV, and what is wrong with which line; a heading is skipped."""
    keys: list[tuple[str, str]] = []
    errors: list[str] = []
    for line, cells in enumerate(_rows(text), start=1):
        if not any(cells) or (line == 1 and _is_heading(cells)):
            continue
        email = "" if lane.key in Lane.GENERATED else cells[0]
        code = cells[0] if lane.key in Lane.GENERATED else "".join(cells[1:2])
        problem = _problem(lane, email, code)
        if problem:
            errors.append(_("Line %(line)s: %(problem)s") % {"line": line, "problem": problem})
        keys.append((email, code))
    if len(keys) > MAX_KEYS:
        errors.insert(0, _("At most %(most)s lines at a time.") % {"most": MAX_KEYS})
    if not keys:
        errors.append(_("There is nothing in it."))
    return keys, errors


def _rows(text: str) -> Iterable[list[str]]:
    try:
        lines = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True))
    except csv.Error as error:
        raise InvalidInput(fields={"file": [str(error)]}) from None
    return [[cell.strip() for cell in line] for line in lines]


def _is_heading(cells: Sequence[str]) -> bool:
    return cells[0].lower() in {"email", "e-mail", "code", "codes", "이메일", "코드"}


def _problem(lane: Lane, email: str, code: str) -> str:
    if lane.key not in Lane.GENERATED:
        try:
            validate_email(email)
        except ValidationError:
            return _("“%(text)s” is not an e-mail address.") % {"text": email[:60]}
    if lane.key in Lane.GENERATED and len(normal_code(code)) < MIN_CODE_LENGTH:
        return _("a code has at least %(least)s letters or digits.") % {"least": MIN_CODE_LENGTH}
    if lane.key == Key.MEMBERS and not normal_code(code):
        return _("the membership number is missing.")
    return ""
