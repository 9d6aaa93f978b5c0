"""Challenges at sign-up: none when calm, harder ones the more sign-ups there are."""

import hashlib
from datetime import datetime
from typing import Any

from django.conf import settings

from ticketing.accounts import rate_limits
from ticketing.core.challenges import (
    HARDEST,
    LIFETIME,
    BadSolution,
    TooEarly,
    check_solution,
    new_challenge,
)
from ticketing.core.throttle import use_once


def sign_up_level(network: str) -> int:
    """Count a sign-up from this range; 0: no challenge."""
    if settings.CHALLENGE == "off":
        return 0
    counts = (
        rate_limits.SIGN_UP_CALM.add(network) / rate_limits.SIGN_UP_CALM.limit,
        rate_limits.SIGN_UP_RUSH.add("site") / rate_limits.SIGN_UP_RUSH.limit,
    )
    return min(int(max(counts)) + 1, HARDEST) if max(counts) > 1 else 0


def sign_up_challenge(
    email: str, level: int, solution: str, *, now: datetime
) -> dict[str, Any] | None:
    """The challenge to solve before a mail is sent there; None if it was, or is not needed.

    Always our own: the form is answered by a thread, which must not wait for a provider.
    """
    if not level:
        return None
    purpose = f"sign_up:{hashlib.sha256(email.lower().encode()).hexdigest()[:32]}"
    challenge = new_challenge(purpose, level, now=now)
    try:
        solved = check_solution(solution, purpose, now=now)
    except TooEarly as early:
        return challenge | {"wait": {"seconds": early.seconds, "token": solution}}
    except BadSolution:
        return challenge
    is_unused = use_once("sign_up_solution", solved.once, int(LIFETIME.total_seconds()))
    return None if is_unused else challenge
