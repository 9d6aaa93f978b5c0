"""Stored mails, parsed as a mail program would."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from ticketing.core.errors import NotFound
from ticketing.development.mailbox import folder

SHOWN_HEADERS = ("From", "To", "Reply-To", "Message-ID", "Auto-Submitted")


@dataclass(frozen=True)
class Attachment:
    name: str
    kind: str
    content: bytes


@dataclass(frozen=True)
class StoredMail:
    name: str
    mail: EmailMessage

    @property
    def subject(self) -> str:
        return str(self.mail["Subject"] or "")

    @property
    def to(self) -> str:
        return str(self.mail["To"] or "")

    @property
    def sent_at(self) -> datetime:
        """The Date header; UTC if it names no zone."""
        sent_at = parsedate_to_datetime(str(self.mail["Date"]))
        return sent_at if sent_at.tzinfo else sent_at.replace(tzinfo=UTC)

    @property
    def headers(self) -> list[tuple[str, str]]:
        return [(name, str(self.mail[name])) for name in SHOWN_HEADERS if self.mail[name]]

    @property
    def text(self) -> str:
        return self._part("plain")

    @property
    def html(self) -> str:
        return self._part("html")

    @property
    def attachments(self) -> list[Attachment]:
        return [_attachment(part) for part in self.mail.iter_attachments()]

    def _part(self, kind: str) -> str:
        part = self.mail.get_body((kind,))
        return str(part.get_content()) if part else ""


def stored_mail(name: str) -> StoredMail:
    if (content := folder.content(name)) is None:
        raise NotFound()
    return StoredMail(name, message_from_bytes(content, policy=policy.default))


def stored_mails(names: Iterable[str]) -> list[StoredMail]:
    """The mails with these names that still exist."""
    contents = ((name, folder.content(name)) for name in names)
    return [
        StoredMail(name, message_from_bytes(content, policy=policy.default))
        for name, content in contents
        if content is not None
    ]


def _attachment(part: EmailMessage) -> Attachment:
    content = part.get_payload(decode=True)
    name = part.get_filename() or "attachment"
    return Attachment(name, part.get_content_type(), content if isinstance(content, bytes) else b"")
