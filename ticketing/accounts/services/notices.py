"""Mails about the security log: every change of credentials is mailed to the owner."""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.utils import translation
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from ticketing.accounts.models import SecurityEvent
from ticketing.accounts.services.known_devices import device_link
from ticketing.core import mails

log = logging.getLogger(__name__)
BATCH = 100
# A mail whose sender died is sent again after this time, under the same Message-ID.
RETRY_AFTER = timedelta(minutes=5)
GIVE_UP_AFTER = timedelta(days=1)


def mail_notices(*, now: datetime) -> int:
    """Send the mails that are due; each is taken by one worker at a time."""
    due = SecurityEvent.objects.filter(mail_due_at__lte=now).select_related("user")
    sent = 0
    for event in due.order_by("mail_due_at")[:BATCH]:
        mine = SecurityEvent.objects.filter(pk=event.pk, mail_due_at=event.mail_due_at)
        if mine.update(mail_due_at=now + RETRY_AFTER):
            sent += _send(event, now)
    return sent


def _send(event: SecurityEvent, now: datetime) -> int:
    try:
        _mail(event)
    except (OSError, SMTPException) as problem:
        log.warning("mail about security event %s: %s", event.pk, type(problem).__name__)
        if now < event.at + GIVE_UP_AFTER:
            return 0
    SecurityEvent.objects.filter(pk=event.pk).update(mail_due_at=None)
    return 1


def _mail(event: SecurityEvent) -> None:
    with translation.override(event.language or None):
        facts = [
            (_("What"), event.get_kind_display()),
            (_("Date and time"), f"{localtime(event.at):%Y-%m-%d %H:%M}"),
        ]
        facts += [(_("Details"), event.detail)] if event.detail else []
        facts += [(_("From"), event.origin)] if event.origin else []
        links = [
            (_("Your account"), mails.link("accounts:profile")),
            (_("Set a new password"), mails.link("accounts:password_reset")),
        ]
        if event.kind == SecurityEvent.Kind.LOG_INS_SLOWED and event.user:
            url = mails.link("accounts:device", device_link(event.user))
            links.insert(0, (_("Log in on a new device"), url))
        title = _("Your account: %(what)s") % {"what": event.get_kind_display()}
        mail = mails.Mail("security_notice", title, facts=facts, links=links)
        name = event.user.display_name if event.user else ""
        mails.send(mail, to=event.mail_to, recipient=name, name=f"security-{event.pk}")
