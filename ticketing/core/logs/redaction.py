"""Removes from log lines what belongs in no log: tokens, cookies, passwords, addresses, cards."""

import re
from collections.abc import Callable

Replacement = str | Callable[[re.Match[str]], str]
REMOVED = "[removed]"


def _card(match: re.Match[str]) -> str:
    """Card numbers have a check digit, other long numbers only by chance."""
    digits = [int(char) for char in match[0] if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    is_card = (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
    return "[card]" if is_card else match[0]


# In this order: what is named by its field or prefix first, then what looks like a secret.
RULES: list[tuple[re.Pattern[str], Replacement]] = [
    # Links from mails name an address, or prove that somebody reads its mail.
    (re.compile(r"(/accounts/[a-z/-]+/)[^/\s]{16,}"), rf"\1{REMOVED}"),
    (re.compile(r"(?i)(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"), REMOVED),
    (re.compile(r"(?i)\b(bearer|basic|portone)\s+[\w.~+/=-]{8,}"), rf"\1 {REMOVED}"),
    (
        re.compile(
            r"(?i)\b((?:[\w-]*(?:cookie|password|secret|token|sessionid|csrftoken|api[-_]?key))"
            r"|(?:__host-)?browser|authorization|cvc|cvv|card)(['\"]?\s*[:=]\s*b?['\"]?)"
            r"(?!\[removed\])[^\s'\",;&)}\]]+"
        ),
        rf"\1\2{REMOVED}",
    ),
    (re.compile(r"\b(tk|qr|whsec)_[\w.=/+-]{6,}"), rf"\1_{REMOVED}"),
    (re.compile(r"[\w.+%-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+"), "[e-mail]"),
    (re.compile(r"\b\d{4}[\d -]*[*xX●]{2,}[\d*xX● -]*"), "[card] "),
    (re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w.-])"), _card),
    # Session keys and hashes; and base64, as of signatures. UUIDs stay: they name tasks.
    (re.compile(r"\b(?=[a-z]*\d)[a-z0-9]{32,}\b"), REMOVED),
    (re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[A-Za-z0-9_-]{24,}"), REMOVED),
]


def redact(text: str) -> str:
    for pattern, replacement in RULES:
        text = pattern.sub(replacement, text)
    return text
