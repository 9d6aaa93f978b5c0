"""A mail as it lies in the folder, read as a mail program would."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from ticketing.core.errors import NotFound
from ticketing.development.mailbox import folder

SHOWN = ("From", "To", "Reply-To", "Message-ID", "Auto-Submitted")


@dataclass(frozen=True)
class File:
    name: str
    kind: str
    content: bytes


@dataclass(frozen=True)
class Letter:
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
        """As mails write it: without a zone it is UTC."""
        told = parsedate_to_datetime(str(self.mail["Date"]))
        return told if told.tzinfo else told.replace(tzinfo=UTC)

    @property
    def headers(self) -> list[tuple[str, str]]:
        return [(name, str(self.mail[name])) for name in SHOWN if self.mail[name]]

    @property
    def text(self) -> str:
        return self._part("plain")

    @property
    def html(self) -> str:
        return self._part("html")

    @property
    def files(self) -> list[File]:
        return [_file(part) for part in self.mail.iter_attachments()]

    def _part(self, kind: str) -> str:
        part = self.mail.get_body((kind,))
        return str(part.get_content()) if part else ""


def letter(name: str) -> Letter:
    if (content := folder.content(name)) is None:
        raise NotFound()
    return Letter(name, message_from_bytes(content, policy=policy.default))


def letters(names: Iterable[str]) -> list[Letter]:
    """Of these, the ones that are still there."""
    found = ((name, folder.content(name)) for name in names)
    return [
        Letter(name, message_from_bytes(content, policy=policy.default))
        for name, content in found
        if content is not None
    ]


def _file(part: EmailMessage) -> File:
    content = part.get_payload(decode=True)
    name = part.get_filename() or "attachment"
    return File(name, part.get_content_type(), content if isinstance(content, bytes) else b"")
