"""The environment, and what all other settings depend on: folders, mode, keys and host names."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from ticketing.core.clock import clock_skew
from ticketing.core.knobs import Environment
from ticketing.development import embedded

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = Environment()

VAR_DIR = Path(
    env.text("VAR_DIR", str(BASE_DIR / "var"), "Folder for all files written at run time.")
)
DEVELOPMENT = env.flag(
    "DEVELOPMENT",
    "DATABASE_URL" not in os.environ,
    "Plain HTTP, local hosts and a generated secret key; on by default only without DATABASE_URL.",
)
CLOCK_SKEW = clock_skew(
    env.text(
        "CLOCK_SKEW_FILE",
        "",
        "For fault tests: file with seconds to add to this process's clock; in development only.",
    )
    if DEVELOPMENT
    else ""
)
DEBUG = env.flag("DEBUG", False, "Show stack traces in the browser; for development only.")

SECRET_KEY = env.text("SECRET_KEY", "", "Signs cookies and tokens; required outside development.")
if not SECRET_KEY:
    if not DEVELOPMENT:
        raise ImproperlyConfigured("Set SECRET_KEY to a long random string (docs/operations.md).")
    SECRET_KEY = embedded.secret_key(VAR_DIR)
SECRET_KEY_FALLBACKS = env.words(
    "SECRET_KEY_FALLBACKS", [], "Previous secret keys that are still accepted during a rotation."
)

ALLOWED_HOSTS: list[str] = env.words(
    "ALLOWED_HOSTS",
    ["localhost", "127.0.0.1", "[::1]"] if DEVELOPMENT else [],
    "Host names this site answers to.",
)
CSRF_TRUSTED_ORIGINS = env.words(
    "CSRF_TRUSTED_ORIGINS", [], "Additional origins whose forms are accepted, with scheme."
)

PAYMENTS_SANDBOX = env.flag(
    "PAYMENTS_SANDBOX",
    DEVELOPMENT,
    "Pay at a local imitation of PortOne that moves no money; never in production.",
)
