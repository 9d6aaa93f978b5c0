"""Browser security: content security policy, cookies and TLS."""

from csp.constants import NONE, SELF

from ticketing.settings.abuse import CHALLENGE
from ticketing.settings.environment import DEVELOPMENT, env
from ticketing.settings.mail import DEFAULT_FROM_EMAIL

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}
if _challenge_hosts := {
    "turnstile": ["https://challenges.cloudflare.com"],
    "hcaptcha": ["https://*.hcaptcha.com", "https://hcaptcha.com"],
}.get(CHALLENGE):
    for _directive in ("script-src", "frame-src", "style-src", "connect-src"):
        CONTENT_SECURITY_POLICY["DIRECTIVES"][_directive] = [SELF, *_challenge_hosts]
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# The check-in page allows the camera with a header of its own.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        *("accelerometer", "browsing-topics", "camera", "display-capture", "geolocation"),
        *("gyroscope", "hid", "magnetometer", "microphone", "midi", "serial", "usb"),
    )
)
SECURITY_CONTACT = env.text(
    "SECURITY_CONTACT",
    f"mailto:{DEFAULT_FROM_EMAIL}",
    "Where flaws are reported, for /.well-known/security.txt: mailto:… or https://….",
)
CSRF_FAILURE_VIEW = "ticketing.core.error_responses.csrf_failure"

# Browsers accept a `__Host-` cookie only over TLS, and from no other host, such as a subdomain.
_host_only = "" if DEVELOPMENT else "__Host-"
SESSION_COOKIE_NAME = f"{_host_only}sessionid"
CSRF_COOKIE_NAME = f"{_host_only}csrftoken"
LANGUAGE_COOKIE_NAME = f"{_host_only}django_language"
# Tells the browsers of one person apart (core/browsers.py).
BROWSER_COOKIE_NAME = f"{_host_only}browser"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not DEVELOPMENT
SESSION_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"

SECURE_SSL_REDIRECT = env.flag(
    "TLS_REDIRECT", not DEVELOPMENT, "Redirect plain HTTP to HTTPS; off if the proxy does it."
)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = env.number(
    "HSTS_SECONDS",
    0 if DEVELOPMENT else 365 * 24 * 3600,
    "How long browsers insist on HTTPS after their first visit.",
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not DEVELOPMENT
