from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What is wrong with an installation, and what to do about it."""

    problem: str
    advice: str
