"""A Django mail backend that stores mails in a folder instead of sending them."""

from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from ticketing.core import clock
from ticketing.development.mailbox import folder


class FolderBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            folder.store(message.message().as_bytes(), now=clock.now())
        return len(email_messages)
