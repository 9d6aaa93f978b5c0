"""Mails about places on a standby list."""

from collections.abc import Callable

from django.conf import settings
from django.utils.translation import gettext as _

from payments.outbox.mails.message import EventMessage, event_facts
from reservations.models import StandbyEntry
from ticketing.core.mails import Mail


def _taken_off(message: EventMessage) -> Mail | None:
    """None if they have joined again meanwhile."""
    event, body = message.event, message.body
    entries = StandbyEntry.objects.filter(event=event, fan=body["fan"], state__in=StandbyEntry.LIVE)
    if entries.exists():
        return None
    reason = [(_("Reason"), body["why"])] if body["why"] else []
    return Mail(
        "taken_off_standby",
        _("You are no longer on the standby list for “%(event)s”") % {"event": event},
        {"event": event, "was_offered": body["was_offered"]},
        facts=[*reason, *event_facts(message)],
        links=[(_("To the standby list"), f"{settings.SITE_URL}{body['link']}")],
    )


MAILS: dict[str, Callable[[EventMessage], Mail | None]] = {"TakenOffStandby": _taken_off}
