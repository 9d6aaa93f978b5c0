"""A person's data as files: asked for on a page, made by a worker, there for a few days."""

import json
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from ticketing.accounts.models import DataExport, SecurityEvent, User
from ticketing.core import mails
from ticketing.core.errors import NotFound, TooManyRequests
from ticketing.privacy import selectors

# A person has so many exports at a time: each is work for a worker and a copy of their data.
MOST = 3


@transaction.atomic
def ask_for_export(*, user: User, language: str, origin: str, now: datetime) -> DataExport:
    if selectors.own_exports(user, now=now).count() >= MOST:
        raise TooManyRequests(retry_after=24 * 3600)
    user.changed_from = origin
    user.record(SecurityEvent.Kind.DATA_EXPORTED)
    return DataExport.objects.create(
        user=user,
        language=language,
        asked_at=now,
        expires_at=now + timedelta(days=settings.RETENTION_EXPORTS),
    )


def make_export(*, export_id: int, now: datetime) -> None:
    """Make both files and mail the link to their page; a repeat changes nothing."""
    from ticketing.privacy.export_pdf import render_pdf  # reportlab is slow to load

    waiting = DataExport.objects.filter(pk=export_id, made_at=None, user__deleted_at=None)
    export = waiting.select_related("user").first()
    if export is None:
        return
    with translation.override(export.language or None):
        data = selectors.personal_data(export.user)
        as_json = json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
        files = {
            "as_json": as_json.encode(),
            "as_pdf": render_pdf(data, whose=export.user.email),
        }
        if waiting.update(made_at=now, **files):
            _mail(export)


def export_file(*, user: User, code: UUID, form: str, now: datetime) -> bytes:
    """The owner's file; anybody else's, and an expired one, is not found."""
    export = DataExport.objects.filter(user=user, code=code).first()
    if export is None or not export.is_ready(now) or form not in ("json", "pdf"):
        raise NotFound()
    return bytes(export.as_json if form == "json" else export.as_pdf)


def _mail(export: DataExport) -> None:
    links = [(_("Download your data"), mails.link("privacy:exports"))]
    mail = mails.Mail("data_export", _("Your data is ready to download"), links=links)
    user = export.user
    mails.send(mail, to=user.email, recipient=user.display_name, name=f"export-{export.pk}")
