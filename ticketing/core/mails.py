"""Sends mails as text and HTML, to one person each, in the active language."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import make_msgid, parseaddr
from secrets import token_hex
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any, Self

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection
from django.core.validators import validate_email
from django.template.loader import render_to_string
from django.urls import reverse

LONGEST_SUBJECT = 150
NOT_IN_MESSAGE_ID = re.compile(r"[^A-Za-z0-9.-]+")
Pairs = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Mail:
    """`template` holds the text; facts are (label, value), links (label, address)."""

    template: str
    subject: str
    context: dict[str, Any] = field(default_factory=dict)
    facts: Pairs = ()
    links: Pairs = ()
    # (file name, content, media type)
    files: Sequence[tuple[str, bytes, str]] = ()


# A top-level domain in which nobody can have an address (RFC 2606).
UNDELIVERABLE = ".invalid"


class MailServerUnavailable(Exception):
    """No connection to the mail server, which is the fault of no mail."""


class MailConnection:
    """One connection to the mail server for many mails, opened by the first of them."""

    def __init__(self) -> None:
        self._backend: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, message: EmailMessage) -> None:
        """Send it; once more if the server ended a connection that had been used before."""
        is_used = self._backend is not None
        try:
            self._opened().send_messages([message])
        except OSError as problem:
            self.close()
            if not is_used or not _is_closed(problem):
                raise
            self._opened().send_messages([message])

    def close(self) -> None:
        backend, self._backend = self._backend, None
        if backend is not None:
            with suppress(OSError):
                backend.close()

    def _opened(self) -> Any:
        if self._backend is None:
            backend = get_connection()
            try:
                backend.open()
            except OSError as problem:
                raise MailServerUnavailable(str(problem)) from problem
            self._backend = backend
        return self._backend


def _is_closed(problem: Exception) -> bool:
    """Servers end a connection after a while, or after a number of mails (421)."""
    code = getattr(problem, "smtp_code", None)
    return code == 421 or isinstance(problem, SMTPServerDisconnected | ConnectionError)


class _Message(EmailMultiAlternatives):
    def message(self, **options: Any) -> Any:
        """With boundaries: to choose one itself, the library compiles a pattern for each mail."""
        message, token = super().message(**options), token_hex(16)
        for n, part in enumerate(message.walk()):
            if part.is_multipart():
                part.set_boundary(f"{token}-{n}")
        return message


def send(
    mail: Mail, *, to: str, recipient: str, name: str = "", connection: MailConnection | None = None
) -> None:
    """Send a mail. Equal names give equal Message-IDs, so that mail programs show a repeat once."""
    validate_email(to)
    if to.lower().endswith(UNDELIVERABLE):
        return
    subject = one_line(mail.subject)
    context = mail.context | {
        "facts": mail.facts,
        "links": mail.links,
        "files": mail.files,
        "subject": subject,
        "recipient": recipient,
        "site": settings.SITE_URL,
    }
    message = _Message(
        subject,
        _collapse_blank_lines(render_to_string(f"mail/{mail.template}.txt", context)),
        to=[to],
        reply_to=[settings.EMAIL_REPLY_TO] if settings.EMAIL_REPLY_TO else None,
        headers={"Message-ID": message_id(name), "Auto-Submitted": "auto-generated"},
    )
    html = render_to_string(f"mail/{mail.template}.html", context)
    message.attach_alternative(html, "text/html")
    for file in mail.files:
        message.attach(*file)
    if connection:
        connection.send(message)
        return
    try:
        message.send()
    except SMTPRecipientsRefused as refused:  # errors are logged: without the address
        codes = [code for code, _ in refused.recipients.values()]
        raise SMTPRecipientsRefused({"recipient": (codes[0], b"")}) from None
    except SMTPDataError as refused:
        raise SMTPDataError(refused.smtp_code, b"") from None


def message_id(name: str) -> str:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    if not name:
        return make_msgid(domain=domain)
    return f"<{NOT_IN_MESSAGE_ID.sub('-', name)}@{domain}>"


def link(view: str, *args: Any) -> str:
    """The absolute URL of a page."""
    return f"{settings.SITE_URL}{reverse(view, args=args)}"


def one_line(text: str) -> str:
    """A subject without line breaks or invisible characters, so that no header can be injected."""
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:LONGEST_SUBJECT]


def _collapse_blank_lines(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
