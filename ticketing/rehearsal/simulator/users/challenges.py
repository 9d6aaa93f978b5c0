"""Challenges: simulated users solve them as a browser does, in a thread of their own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import altcha

REQUIRED, HEADER = "challenge_required", "Challenge-Solution"


async def solve(challenge: dict[str, Any]) -> str:
    """The solution of a proof of work. Deriving keys leaves the event loop to the other users."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads(), _solved, challenge["proof_of_work"])


def _solved(challenge: dict[str, Any]) -> str:
    posed = altcha.Challenge.from_dict(challenge)
    solution = altcha.solve_challenge(posed)
    return altcha.Payload(posed, solution).to_base64() if solution else ""


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="challenge")
