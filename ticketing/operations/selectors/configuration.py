"""Settings and files of a production installation."""

import os
import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.mail import get_connection

from ticketing.core.static_files import StaticFilesConfig
from ticketing.operations.selectors.finding import Finding

SHORTEST_KEY = 50
MAIL_SECONDS = 5
PLACEHOLDER = re.compile(r"change-?me|only-for-|insecure", re.IGNORECASE)
SWITCHES = {
    "DEVELOPMENT": "the demo's log-ins, and plain HTTP",
    "DEBUG": "errors show the code and the settings",
    "PAYMENTS_SANDBOX": "everybody gets tickets without paying",
}
SECRETS = ("SECRET_KEY", "PORTONE_API_SECRET", "PORTONE_WEBHOOK_SECRET", "EMAIL_HOST_PASSWORD")


def settings_of_production(now: datetime) -> Iterator[Finding]:
    for name in filter(partial(getattr, settings), SWITCHES):
        yield Finding(f"{name} is on: {SWITCHES[name]}.", f"Set {name}=0.")
    if len(settings.SECRET_KEY) < SHORTEST_KEY:
        yield Finding(
            f"SECRET_KEY has fewer than {SHORTEST_KEY} characters.",
            'Make one: python3 -c "import secrets; print(secrets.token_urlsafe(64))"',
        )
    if copied := [name for name in SECRETS if PLACEHOLDER.search(getattr(settings, name))]:
        yield Finding(f"Values of an example: {', '.join(copied)}.", "Set your own.")
    if not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS:
        yield Finding("ALLOWED_HOSTS names no host, or all.", "Set it to the names of this site.")
    if not settings.SITE_URL.startswith("https://"):
        yield Finding(f"Links in mails begin with {settings.SITE_URL}.", "Set SITE_URL=https://….")
    if settings.STAFF_TWO_FACTOR != "required":
        yield Finding("Staff log in with a password alone.", "Set STAFF_TWO_FACTOR=required.")


def gateway_keys(now: datetime) -> Iterator[Finding]:
    names = ("API_SECRET", "WEBHOOK_SECRET", "STORE_ID", "CHANNEL_KEY")
    missing = [f"PORTONE_{it}" for it in names if not getattr(settings, f"PORTONE_{it}")]
    if missing:
        yield Finding(
            f"Nobody can pay: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set.",
            "Copy them from PortOne's console.",
        )
    elif not settings.PORTONE_WEBHOOK_SECRET.startswith("whsec_"):
        yield Finding(
            "PORTONE_WEBHOOK_SECRET does not begin with whsec_: every webhook will be refused.",
            "Copy the webhook's own secret from PortOne's console.",
        )


def mail(now: datetime) -> Iterator[Finding]:
    if settings.DEFAULT_FROM_EMAIL.rstrip(">").endswith("@localhost"):
        yield Finding("Mails come from @localhost.", "Set EMAIL_FROM to an address of this site.")
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        yield Finding("No mail is sent.", "Set EMAIL_HOST.")
        return
    try:
        get_connection(timeout=MAIL_SECONDS).open()
    except OSError as error:
        yield Finding(
            f"The mail server {settings.EMAIL_HOST}:{settings.EMAIL_PORT} can't be used: {error}.",
            "Check EMAIL_HOST, EMAIL_PORT, EMAIL_TLS, EMAIL_USER and EMAIL_PASSWORD.",
        )


def static_files(now: datetime) -> Iterator[Finding]:
    collected: dict[str, str] = getattr(staticfiles_storage, "hashed_files", {})
    ignored = StaticFilesConfig.ignore_patterns
    present = {name for finder in get_finders() for name, _storage in finder.list(ignored)}
    missing = sorted(
        name
        for name in present
        if name not in collected or not staticfiles_storage.exists(collected[name])
    )
    if missing:
        yield Finding(
            f"{len(missing)} static files are not collected, such as {missing[0]}.",
            "Run: python manage.py collectstatic --no-input",
        )


def folders(now: datetime) -> Iterator[Finding]:
    needed = [settings.VAR_DIR, *([] if settings.MEDIA_S3_BUCKET else [settings.MEDIA_ROOT])]
    for folder in map(Path, needed):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        if not os.access(existing, os.W_OK | os.X_OK):
            yield Finding(
                f"{folder} can't be written.", f"chown it to the service's user: {os.getuid()}."
            )
