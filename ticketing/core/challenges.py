"""Challenges: work that a browser does before it may go on, so that many requests cost much.

Proof of work by ALTCHA: the browser finds the counter that we chose, by trying one after the other,
and sends the key that is derived from it. A signed token says whom and what the challenge is for,
and has a hash of that key, so that nothing is derived again; the library's own signature takes
twice as long as all the rest. Without JavaScript one waits, and sends the token itself.
"""

import hmac
import json
from base64 import b64decode
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import randbelow, token_bytes
from typing import Any

import altcha

from ticketing.core.tokens import TokenSigner

ALGORITHM, ITERATIONS, PREFIX_BYTES = "PBKDF2/SHA-256", 200, 16
# Tries at most, by level; half of them at least. One worker of a phone slowed six times does 630 to
# 980 of them in a second (tests/browser/test_challenges.py): the hardest takes less than 3 s.
TRIES = (0, 100, 250, 500, 1_000, 1_800)
HARDEST = len(TRIES) - 1
# Seconds to wait instead, by level: longer than any phone needs.
WAITS = (0, 5, 8, 12, 20, 30)
LIFETIME = timedelta(minutes=5)
LIFETIME_MS = int(LIFETIME.total_seconds() * 1000)
LONGEST_SOLUTION = 2_048
_tokens = TokenSigner("ch_", "challenge")


class BadSolution(ValueError):
    """Forged, wrong, expired, or for somebody or something else."""


class TooEarly(BadSolution):
    """Who waits instead has to wait a little longer, with the same token."""

    def __init__(self, seconds: int) -> None:
        super().__init__()
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Solved:
    """`once` names the challenge: whoever accepts the solution notes it, and accepts it once.

    `noted` is what the challenge was made with.
    """

    once: str
    kind: str
    level: int
    solve_ms: int
    noted: str = ""


def new_challenge(purpose: str, level: int, *, now: datetime, noted: str = "") -> dict[str, Any]:
    """A challenge for the widget, and the token with which somebody waits instead.

    `noted` comes back with the solution: whoever checks it need not look it up again.
    """
    counter = TRIES[level] // 2 + randbelow(TRIES[level] // 2)
    issued, nonce, salt = _ms(now), token_bytes(16), token_bytes(16)
    parameters = altcha.ChallengeParameters(
        ALGORITHM,
        nonce.hex(),
        salt.hex(),
        ITERATIONS,
        expires_at=(issued + LIFETIME_MS) // 1000,
    )
    key = altcha.derive_key_pbkdf2(parameters, salt, nonce + counter.to_bytes(4, "big"))
    parameters.key_prefix = key[:PREFIX_BYTES].hex()
    token = _tokens.sign(f"{purpose}|{level}|{issued}|{nonce.hex()}|{_hashed(key)}|{noted}")
    parameters.data = {"token": token}
    return {
        "kind": "proof_of_work",
        "level": level,
        "proof_of_work": altcha.Challenge(parameters).to_dict(),
        "wait": {"seconds": WAITS[level], "token": token},
    }


def check_solution(solution: str, purpose: str, *, now: datetime) -> Solved:
    """What was solved; raises `BadSolution`. Whether it was used before is asked elsewhere."""
    if not solution or len(solution) > LONGEST_SOLUTION:
        raise BadSolution()
    try:
        waited = solution.startswith(_tokens.prefix)
        token, key = (solution, None) if waited else _worked(solution)
        named, level, issued, once, expected, noted = _tokens.payload_of(token).split("|")
        if key is not None and not hmac.compare_digest(_hashed(key), expected):
            raise BadSolution()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadSolution() from None
    took = max(_ms(now) - int(issued), 0)
    if named != purpose or took > LIFETIME_MS:
        raise BadSolution()
    if waited and (left := 1000 * WAITS[int(level)] - took) > 0:
        raise TooEarly(-(-left // 1000))
    return Solved(once, "wait" if waited else "proof_of_work", int(level), took, noted)


def _worked(solution: str) -> tuple[str, bytes]:
    """The token of what the widget sends, and the key that it has derived."""
    sent = json.loads(b64decode(solution))
    token = sent["challenge"]["parameters"]["data"]["token"]
    return token, bytes.fromhex(sent["solution"]["derivedKey"])


def _hashed(key: bytes) -> str:
    return sha256(key).hexdigest()


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
