"""Idempotency keys as at PortOne: for three hours a repeat gets the first answer."""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from payments.sandbox.behaviours import LONGEST, Behaviour
from payments.sandbox.errors import InvalidRequest, OutstandingRequest
from payments.sandbox.models import Call, Payment

KEPT = timedelta(hours=3)
# After this an unanswered call is taken for dead.
LONGEST_CALL = timedelta(seconds=LONGEST + 10)
# Calls that only a slow card slows down, and that may safely be carried out again.
QUICK, QUICK_CALL = ("/pre-register", "/confirm"), timedelta(seconds=10)
KEY = re.compile(r"[A-Za-z0-9_-]{16,256}")


@dataclass(frozen=True)
class Answer:
    """`hold`: the answer is withheld for so many seconds, and then lost."""

    status: int
    body: dict[str, Any]
    hold: float = 0
    is_lost: bool = False


def begin(*, key: str, path: str, body: dict[str, Any], now: datetime) -> Answer | None:
    """The earlier answer for this key; None if the caller may carry out the request."""
    if not KEY.fullmatch(key):
        raise InvalidRequest("An idempotency key has 16 to 256 letters, digits, - or _.")
    Call.objects.filter(key=key, at__lt=now - KEPT).delete()
    Call.objects.filter(key=key, status=None, at__lt=now - _longest_call(path)).delete()
    fingerprint = hashlib.sha256(json.dumps([path, body], sort_keys=True).encode()).hexdigest()
    call, is_new = Call.objects.get_or_create(
        key=key, defaults={"fingerprint": fingerprint, "at": now}
    )
    return None if is_new else _earlier_answer(call, fingerprint)


def _longest_call(path: str) -> timedelta:
    if not path.endswith(QUICK):
        return LONGEST_CALL
    slow = Payment.objects.filter(payment_id=path.split("/")[-2], behaviour=Behaviour.SLOW)
    seconds = slow.values_list("seconds", flat=True).first()
    return QUICK_CALL + timedelta(seconds=seconds or 0)


def _earlier_answer(call: Call, fingerprint: str) -> Answer:
    if call.fingerprint != fingerprint:
        raise InvalidRequest("This idempotency key was used for another request.")
    if call.status is None:
        raise OutstandingRequest()
    return Answer(call.status, call.body or {})


def finish(*, key: str, answer: Answer) -> None:
    Call.objects.filter(key=key).update(status=answer.status, body=answer.body)


def give_up(*, key: str) -> None:
    """Nothing was done: the next call may try again."""
    Call.objects.filter(key=key, status=None).delete()
