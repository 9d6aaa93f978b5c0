"""Mails as text and as HTML, to one person each, in the language that is active."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import make_msgid, parseaddr
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.validators import validate_email
from django.template.loader import render_to_string
from django.urls import reverse

LONGEST_SUBJECT = 150
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9.-]+")
Pairs = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Mail:
    """`template` says it in sentences; facts are (label, value), links (label, address)."""

    template: str
    subject: str
    words: dict[str, Any] = field(default_factory=dict)
    facts: Pairs = ()
    links: Pairs = ()
    # (file name, content, media type)
    files: Sequence[tuple[str, bytes, str]] = ()


# Nobody can have an address in this domain (RFC 2606); simulated people do.
NOWHERE = ".invalid"


def send(mail: Mail, *, to: str, who: str, name: str = "") -> None:
    """What has the same name has the same Message-ID, so that a mail program shows it once."""
    validate_email(to)
    if to.lower().endswith(NOWHERE):
        return
    subject = one_line(mail.subject)
    about = {"facts": mail.facts, "links": mail.links, "files": mail.files}
    words = mail.words | about | {"subject": subject, "who": who, "site": settings.SITE_URL}
    letter = EmailMultiAlternatives(
        subject,
        _airy(render_to_string(f"mail/{mail.template}.txt", words)),
        to=[to],
        reply_to=[settings.EMAIL_REPLY_TO] if settings.EMAIL_REPLY_TO else None,
        headers={"Message-ID": message_id(name), "Auto-Submitted": "auto-generated"},
    )
    letter.attach_alternative(render_to_string(f"mail/{mail.template}.html", words), "text/html")
    for file in mail.files:
        letter.attach(*file)
    letter.send()


def message_id(name: str) -> str:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    if not name:
        return make_msgid(domain=domain)
    return f"<{NOT_IN_A_NAME.sub('-', name)}@{domain}>"


def link(view: str, *args: Any) -> str:
    """A page of ours as somebody finds it from outside."""
    return f"{settings.SITE_URL}{reverse(view, args=args)}"


def one_line(words: str) -> str:
    """No header can be smuggled in behind a line's end, and nothing hides in what can't be seen."""
    seen = "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(seen.split())[:LONGEST_SUBJECT]


def _airy(text: str) -> str:
    """Templates leave gaps where they say nothing."""
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
