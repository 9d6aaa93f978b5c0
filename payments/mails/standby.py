"""Mails about places on a standby list."""

from collections.abc import Callable

from django.conf import settings
from django.utils.translation import gettext as _

from payments.mails.story import Notice, show
from reservations.models import StandbyEntry
from ticketing.core.mails import Mail


def _taken_off(notice: Notice) -> Mail | None:
    """Unless they have joined again meanwhile."""
    event, body = notice.event, notice.body
    on_it = StandbyEntry.objects.filter(event=event, fan=body["fan"], state__in=StandbyEntry.LIVE)
    if on_it.exists():
        return None
    reason = [(_("Reason"), body["why"])] if body["why"] else []
    return Mail(
        "taken_off_standby",
        _("You are no longer on the standby list for “%(event)s”") % {"event": event},
        {"event": event, "was_offered": body["was_offered"]},
        facts=[*reason, *show(notice)],
        links=[(_("To the standby list"), f"{settings.SITE_URL}{body['link']}")],
    )


NOTICES: dict[str, Callable[[Notice], Mail | None]] = {"TakenOffStandby": _taken_off}
