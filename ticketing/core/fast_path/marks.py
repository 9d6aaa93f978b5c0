"""Marks: what a rendered copy has in the places that are personal.

A copy is rendered by the page's own view, for a request without a person. Where that view would
write something personal, it writes a mark; the fast path fills in the value for each person.
"""

import re
import secrets
from typing import Any

from django.http import HttpRequest


class Marks:
    """`variant`: for whom the copy is. `facts`: what the fast path must know of it; never sent."""

    def __init__(self, variant: str) -> None:
        self.variant, self.facts = variant, dict[str, Any]()
        # Random, so that nothing that people write into a page can be taken for a mark.
        self._nonce = secrets.token_hex(8)

    def mark(self, name: str) -> str:
        return f"{self._nonce}-{name}-"

    def split(self, text: str) -> list[str]:
        """Text and names of marks in turns, beginning and ending with text."""
        return re.split(f"{self._nonce}-([a-z0-9_]+)-", text)


def marks_of(request: HttpRequest) -> Marks | None:
    """None unless the page is being rendered as a copy."""
    return getattr(request, "marks", None)
