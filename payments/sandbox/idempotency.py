"""Idempotency keys as at PortOne: for three hours a repeat gets the first answer."""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from payments.sandbox.behaviours import Behaviour
from payments.sandbox.errors import InvalidRequest, OutstandingRequest
from payments.sandbox.models import Call, Payment

KEPT = timedelta(hours=3)
# After this an unanswered call is taken for dead, and done anew: nothing of it was committed.
LONGEST_CALL = timedelta(seconds=10)
FIRST = """
INSERT INTO payments_sandbox_call (key, fingerprint, at) VALUES (%s, %s, %s)
ON CONFLICT (key) DO NOTHING
"""
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
    fingerprint = fingerprint_of(path, body)
    while not _is_first(key, fingerprint, now):
        Call.objects.filter(key=key, at__lt=now - KEPT).delete()
        Call.objects.filter(key=key, status=None, at__lt=now - _longest_call(path)).delete()
        if call := Call.objects.filter(key=key).first():
            return _earlier_answer(call, fingerprint)
    return None


def fingerprint_of(path: str, body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps([path, body], sort_keys=True).encode()).hexdigest()


def _is_first(key: str, fingerprint: str, now: datetime) -> bool:
    """One statement, as nearly every call is the first with its key."""
    with connection.cursor() as cursor:
        cursor.execute(FIRST, [key, fingerprint, now])
        return cursor.rowcount == 1


def _longest_call(path: str) -> timedelta:
    """A slow card slows its charge down, and nothing else."""
    *_, payment_id, act = path.split("/")
    slow = Payment.objects.filter(payment_id=payment_id, behaviour=Behaviour.SLOW)
    seconds = slow.values_list("seconds", flat=True).first() if act == "confirm" else 0
    return LONGEST_CALL + timedelta(seconds=seconds or 0)


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
