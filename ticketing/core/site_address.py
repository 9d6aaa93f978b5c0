"""The default of SITE_URL, and a check of its value."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import Error, register

LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


def site_url(host: str, port: int) -> str:
    """In development: the address that `manage.py up` prints."""
    name = LOOPBACK.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def public_url(hosts: list[str]) -> str:
    """In production: the first of ALLOWED_HOSTS that is a name; wildcards are not."""
    names = [host.lstrip(".") for host in hosts if host.strip("*.")]
    return f"https://{names[0]}" if names else ""


@register()
def check_site_url(**kwargs: Any) -> list[Error]:
    """Refuse to start with an address that would make the links in mails useless."""
    address = urlsplit(settings.SITE_URL)
    if address.scheme in ("http", "https") and address.hostname and not address.query:
        return []
    return [
        Error(
            f"SITE_URL={settings.SITE_URL!r} is no address: links in mails would lead nowhere.",
            hint="Set it to where people find this site, such as https://tickets.example.com.",
            id="ticketing.E001",
        )
    ]
