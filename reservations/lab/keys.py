"""Every Redis key of a race. The braces keep them in one cluster slot."""

from reservations.lab.terms import SCRATCH, Terms

# Longer than any race; nobody need tidy up after one that was killed.
KEPT_SECONDS = 300


def lock(terms: Terms, seat: int) -> str:
    return _key(terms, f"lock:{seat}")


def gate(terms: Terms, seat: int) -> str:
    """Whose try it is."""
    return _key(terms, f"gate:{seat}")


def requests(terms: Terms, partition: int) -> str:
    """The stream of what buyers asked for, in order of arrival."""
    return _key(terms, f"requests:{partition}")


def worker(terms: Terms, partition: int) -> str:
    """The lock of whoever works on a partition."""
    return _key(terms, f"worker:{partition}")


def states(terms: Terms, request: str) -> str:
    """Every state that a request was in; the last one is the present one."""
    return _key(terms, f"states:{request}")


def answer(terms: Terms, request: str) -> str:
    """The last state once more, pushed to the one who waits for it."""
    return _key(terms, f"answer:{request}")


def _key(terms: Terms, rest: str) -> str:
    return f"{SCRATCH}:{{{terms.name}}}:{rest}"
