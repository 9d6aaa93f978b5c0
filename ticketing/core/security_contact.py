"""Where flaws of this site are reported (RFC 9116)."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from ticketing.core import clock

VALID = timedelta(days=180)


def security_txt(request: HttpRequest) -> HttpResponse:
    lines = {
        "Contact": settings.SECURITY_CONTACT,
        "Expires": (clock.now() + VALID).strftime("%Y-%m-%dT00:00:00Z"),
        "Preferred-Languages": ", ".join(code for code, _ in settings.LANGUAGES),
        "Canonical": f"{settings.SITE_URL}/.well-known/security.txt",
    }
    text = "".join(f"{name}: {value}\n" for name, value in lines.items())
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
