"""Settings. Those that differ between deployments come from the environment (docs/knobs.md).

Without DATABASE_URL this is the development setup with the embedded servers of `manage.py up`.
"""

import base64
import hmac
import os
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from whitenoise.compress import Compressor

from ticketing.core.clock import clock_skew
from ticketing.core.knobs import Environment
from ticketing.core.media_storage import media_storage
from ticketing.core.metrics.listener import is_local
from ticketing.core.redis_breaker import once_more
from ticketing.core.server_addresses import (
    SENTINEL,
    SentinelAddress,
    celery_options,
    database_settings,
)
from ticketing.core.site_address import public_url, site_url
from ticketing.development import embedded

BASE_DIR = Path(__file__).resolve().parent.parent
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

# -- apps -----------------------------------------------------------------------------------------

INSTALLED_APPS = [
    *(["payments.sandbox"] if PAYMENTS_SANDBOX else []),
    "payments",
    "reservations",
    "waiting_queue",
    "ticketing.development",
    "ticketing.events",
    "ticketing.accounts",
    "ticketing.core",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.sitemaps",
    "whitenoise.runserver_nostatic",
    "ticketing.core.static_files.StaticFilesConfig",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "axes",
    "csp",
    "django_otp",
    "ticketing.console.apps.PhonesConfig",
    "django_otp.plugins.otp_static",
    "ticketing.privacy",
    "ticketing.rehearsal",
    "ticketing.event_setup",
    "ticketing.operations",
    "ticketing.console",  # last: its roles refer to the permissions of all other apps
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "ticketing.core.middleware.HeadersMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "ticketing.core.middleware.InputMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "ticketing.core.middleware.ErrorMiddleware",
    "ticketing.console.middleware.SecondFactor",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "ticketing.urls"
ASGI_APPLICATION = "ticketing.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "ticketing.core.template_loader.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ticketing.accounts.context_processors.caller",
                "ticketing.accounts.context_processors.development_mode",
                "ticketing.development.context_processors.demo",
            ],
        },
    }
]

# -- web server, database, Redis ------------------------------------------------------------------

HOST = env.text(
    "HOST", "127.0.0.1", "Address to listen on; 0.0.0.0 means all addresses of this machine."
)
PORT = env.number("PORT", 8000, "Port to listen on; 0 means any free port.")
WEB_PROCESSES = env.number("WEB_PROCESSES", 2, "Server processes that `manage.py up` starts.")
TRUSTED_PROXIES = env.words(
    "TRUSTED_PROXIES",
    ["127.0.0.1", "::1"],
    "Addresses or networks of proxies whose headers on client address and TLS are trusted.",
)
WEB_THREADS = env.number("WEB_THREADS", 8, "Pages that one server process handles at a time.")
OVERLOAD_LAG_MS = env.number(
    "OVERLOAD_LAG_MS",
    1000,
    "Milliseconds that a server process may be late before it asks newcomers to come back.",
)
OVERLOAD_PAGES = env.number(
    "OVERLOAD_PAGES",
    64,
    "Pages that may wait for a thread of a server process before it asks newcomers to come back.",
)
SOCKETS_PER_SECOND = env.number(
    "SOCKETS_PER_SECOND",
    600,
    "Sockets that each server process lets newcomers open in a second, fewer while it is late.",
)
HOLD_TRIES = env.number(
    "HOLD_TRIES", 30, "Attempts to hold seats per person and event in 10 s; 0: no limit."
)
SEAT_WAIT_SECONDS = env.number(
    "SEAT_WAIT_SECONDS",
    3,
    "Seconds that a hold waits for rows that others have locked; less than DATABASE_TIMEOUT.",
)
FAST_PATH_THREADS = env.number(
    "FAST_PATH_THREADS",
    8,
    "Holds and payments that one server process works on at a time.",
)
_embedded = embedded.addresses(VAR_DIR)
DATABASE_URL = env.text(
    "DATABASE_URL",
    _embedded.database_url,
    "PostgreSQL to use, by default the embedded one; several hosts for a failover.",
)
REDIS_URL = env.text(
    "REDIS_URL",
    _embedded.redis_url,
    "Redis or Valkey to use, by default the embedded one; redis+sentinel:// for a failover.",
)
QUEUE_REDIS_URL = env.text(
    "QUEUE_REDIS_URL",
    REDIS_URL,
    "Redis of the queue; redis+cluster:// for a Redis Cluster, redis+sentinel:// for a failover.",
)
REDIS_TIMEOUT = env.number(
    "REDIS_TIMEOUT", 1, "Seconds after which an unresponsive Redis counts as down."
)
LIVE_NEAR = env.number(
    "LIVE_NEAR",
    1000,
    "Number of people at the head of a line who get every update; others get fewer.",
)
LIVE_EVERYBODY = env.number(
    "LIVE_EVERYBODY",
    20_000,
    "Waiting pages of one server process up to which everybody gets every update.",
)
TICK_MS = env.number("TICK_MS", 1_000, "Milliseconds from one tick of the queues to the next.")
if not 100 <= TICK_MS <= 3_000:
    raise ImproperlyConfigured("TICK_MS is at least 100 and at most 3000.")
TICK_BATCH = env.number(
    "TICK_BATCH", 500, "People whom the tick's script calls at most; it runs up to 10 times a tick."
)
SWEEP_BATCH = env.number(
    "SWEEP_BATCH", 200, "People whom the tick's script takes out of a line at most, each time."
)
HEARTBEAT_SECONDS = env.number(
    "HEARTBEAT_SECONDS",
    20,
    "Seconds between two heartbeats of an open waiting page; less if absence_seconds is short.",
)
PAGES_PER_PERSON = env.number(
    "PAGES_PER_PERSON",
    5,
    "Websockets and streams that one person may have open in one line; 0: no limit.",
)
SOCKETS_PER_ADDRESS = env.number(
    "SOCKETS_PER_ADDRESS",
    3_000,
    "Websockets and streams of one address (IPv6: /64) in one server process; 0: no limit.",
)
SOCKETS_PER_SESSION = env.number(
    "SOCKETS_PER_SESSION",
    20,
    "Websockets and streams of one browser session in one server process; 0: no limit.",
)
MOVES_PER_MINUTE = env.number(
    "MOVES_PER_MINUTE", 20, "Joins and leaves of one person in one line in a minute; 0: no limit."
)
CHALLENGE = env.choice(
    "CHALLENGE",
    "proof_of_work",
    ("proof_of_work", "turnstile", "hcaptcha", "off"),
    "What people solve to join or sign up in a rush: our own, or a provider's challenge; or “off”.",
)
CHALLENGE_FROM = env.number(
    "CHALLENGE_FROM", 50, "Joins of one line in a second from which newcomers are challenged."
)
CHALLENGE_SITE_KEY = env.text("CHALLENGE_SITE_KEY", "", "Public key at the provider.")
CHALLENGE_SECRET = env.text("CHALLENGE_SECRET", "", "Secret key at the provider.")
CHALLENGE_TIMEOUT = env.number(
    "CHALLENGE_TIMEOUT", 3, "Seconds for the provider's answer; then our own challenge is asked."
)
JOINS_PER_RANGE = env.number(
    "JOINS_PER_RANGE",
    3_000,
    "People who join a line in a rush from one range (/24, /64) in 10 minutes; 0: no limit.",
)
JOINS_PER_DEVICE = env.number(
    "JOINS_PER_DEVICE",
    20,
    "People who join a line in a rush with one browser in 10 minutes; 0: no limit.",
)
HOLDS_PER_RANGE = env.number(
    "HOLDS_PER_RANGE",
    1_000,
    "Holds of one event tried from one range (/24, /64) in a minute; 0: no limit.",
)
HOLDS_PER_DEVICE = env.number(
    "HOLDS_PER_DEVICE",
    200,
    "Holds of one event tried with one browser in a minute; 0: no limit.",
)
RUN_OUTS_PER_PERSON = env.number(
    "RUN_OUTS_PER_PERSON",
    3,
    "Holds of one person, or browser, that run out in an hour before a cool-down; 0: never.",
)
RUN_OUTS_PER_RANGE = env.number(
    "RUN_OUTS_PER_RANGE",
    60,
    "Holds from one range that run out in an hour before it has to cool down; 0: never.",
)
COOL_DOWN_MINUTES = env.number(
    "COOL_DOWN_MINUTES", 10, "Minutes without holds for whoever lets holds run out repeatedly."
)
BROKER_URL = env.text("BROKER_URL", REDIS_URL, "Redis for Celery, if it is a different one.")

DATABASES = {
    "default": database_settings(
        DATABASE_URL,
        conn_max_age=60,
        conn_health_checks=True,
        engine="ticketing.core.postgresql",
    )
}
DATABASE_TIMEOUT = env.number(
    "DATABASE_TIMEOUT", 5, "Seconds after which a page does not wait for PostgreSQL any longer."
)

CACHES = {
    "default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": [REDIS_URL],  # a list, because it would be split at its commas
        "KEY_PREFIX": "cache",
        "OPTIONS": {
            "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
            "SOCKET_TIMEOUT": REDIS_TIMEOUT,
            "SOCKET_CONNECT_TIMEOUT": REDIS_TIMEOUT,
            "CONNECTION_POOL_CLASS": (
                "ticketing.core.redis_sentinel.SentinelPool"
                if REDIS_URL.startswith(SENTINEL)
                else "ticketing.core.redis_breaker.BreakerPool"
            ),
            "CONNECTION_POOL_KWARGS": once_more(),
        },
    }
}

# -- Celery ---------------------------------------------------------------------------------------

CELERY_BROKER_URL = (
    SentinelAddress.parse(BROKER_URL).celery_url()
    if BROKER_URL.startswith(SENTINEL)
    else embedded.celery_url(BROKER_URL)
)
CELERY_BROKER_TRANSPORT_OPTIONS = celery_options(BROKER_URL, REDIS_TIMEOUT)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# The tick has its own worker, so that nothing delays it. So have payments and mails: a slow gateway
# must not delay the return of seats, nor a slow mail server the settlement of payments.
CELERY_TASK_ROUTES = {
    "queue.tick": {"queue": "tick"},
    "reservations.process_hold_requests": {"queue": "holds"},
    "payments.resume": {"queue": "payments"},
    "payments.refund_cancelled_events": {"queue": "payments"},
    "console.reconcile_day": {"queue": "payments"},
    "payments.deliver": {"queue": "mail"},
    "accounts.mail_*": {"queue": "mail"},
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False  # mails printed by the console backend stay readable
CELERY_TIMEZONE = "Asia/Seoul"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")

# -- accounts -------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
_validators = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_validators}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_validators}.MinimumLengthValidator"},
    {
        "NAME": f"{_validators}.CommonPasswordValidator",
        "OPTIONS": {
            "password_list_path": BASE_DIR / "ticketing/accounts/data/breached-passwords.txt.gz"
        },
    },
    {"NAME": f"{_validators}.NumericPasswordValidator"},
    {"NAME": "ticketing.accounts.password_validation.LeakedPasswordValidator"},
]
LEAKED_PASSWORDS_URL = env.text(
    "LEAKED_PASSWORDS_URL",
    "",
    "Service that knows leaked passwords by the first five digits of their hash, such as "
    "https://api.pwnedpasswords.com/range; empty: only the shipped list.",
)
LOGIN_URL = "accounts:log_in"
LOGIN_REDIRECT_URL = "ticketing:home"
LOGOUT_REDIRECT_URL = "ticketing:home"
PASSWORD_RESET_TIMEOUT = 3600

# Session rows are in PostgreSQL and read from Redis: no SQL on hot paths, and losing Redis logs
# nobody out.
SESSION_ENGINE = "ticketing.accounts.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
# A browser takes a cookie of this name only over TLS, and from this very host.
_host_only = "" if DEVELOPMENT else "__Host-"
SESSION_COOKIE_NAME = f"{_host_only}sessionid"
CSRF_COOKIE_NAME = f"{_host_only}csrftoken"
LANGUAGE_COOKIE_NAME = f"{_host_only}django_language"

AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_FAILURE_LIMIT = env.number(
    "LOGIN_FAILURES",
    5,
    "Wrong passwords for one e-mail from one IP address before log-in is paused.",
)
AXES_COOLOFF_TIME = env.number("LOGIN_PAUSE_HOURS", 1, "Hours that the pause lasts.")
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "ticketing.accounts.views.lockout_response"
AXES_USERNAME_CALLABLE = "ticketing.accounts.views.login_email"
# Further attempts do not extend a pause.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_ENABLE_ADMIN = False
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
# The ASGI server has already set the client's address from the trusted proxies' headers.
AXES_IPWARE_META_PRECEDENCE_ORDER = ["REMOTE_ADDR"]

STAFF_TWO_FACTOR = env.text(
    "STAFF_TWO_FACTOR",
    "off" if DEVELOPMENT else "required",
    "“required”: staff log in with a code from their phone; “off”: only those who set it up.",
)
STAFF_SESSION_HOURS = env.number(
    "STAFF_SESSION_HOURS", 12, "Hours after which staff have to log in again."
)
STAFF_REST_MINUTES = env.number(
    "STAFF_REST_MINUTES", 30, "Minutes without a request after which staff are logged out."
)
OTP_TOTP_ISSUER = "Ticketing"
OTP_ADMIN_HIDE_SENSITIVE_DATA = True

# -- mail -----------------------------------------------------------------------------------------

SITE_URL = env.text(
    "SITE_URL",
    site_url(HOST, PORT) if DEVELOPMENT else public_url(ALLOWED_HOSTS),
    "Public address of this site, with scheme; used for links in mails.",
).rstrip("/")
_mail_server = env.text(
    "EMAIL_HOST",
    "",
    "Mail server; without one, mails are stored in a folder in development, else printed.",
)
MAIL_FOLDER = VAR_DIR / "mails"
if _mail_server:
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
elif DEVELOPMENT:
    EMAIL_BACKEND = "ticketing.development.mailbox.backend.FolderBackend"
else:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
EMAIL_HOST = _mail_server or "localhost"
EMAIL_PORT = env.number("EMAIL_PORT", 587, "Port of the mail server.")
EMAIL_HOST_USER = env.text("EMAIL_USER", "", "User name at the mail server.")
EMAIL_HOST_PASSWORD = env.text("EMAIL_PASSWORD", "", "Password at the mail server.")
_mail_tls = env.choice(
    "EMAIL_TLS",
    "starttls",
    ("starttls", "tls", "off"),
    "“starttls” (port 587), “tls” from the first byte (port 465), or “off”.",
)
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail_tls == "starttls", _mail_tls == "tls"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text(
    "EMAIL_FROM", "tickets@localhost", "Sender of this site's mails."
)
EMAIL_REPLY_TO = env.text(
    "EMAIL_REPLY_TO", "", "Reply address of this site's mails; by default the sender."
)

# -- payments -------------------------------------------------------------------------------------

PAYMENTS_SANDBOX_WEBHOOK = env.text(
    "PAYMENTS_SANDBOX_WEBHOOK",
    "/payments/webhooks/portone/",
    "Where the sandbox sends its webhooks: a URL, or a path on this site.",
)
PAYMENTS_SANDBOX_PORT = env.number(
    "PAYMENTS_SANDBOX_PORT",
    0,
    "Port of `manage.py sandbox`; 0: the web processes contain the sandbox.",
)


def _sandbox_secret(name: str) -> str:
    """Derived from SECRET_KEY, so that nobody has to set it and nobody can guess it."""
    digest = hmac.digest(SECRET_KEY.encode(), f"sandbox {name}".encode(), "sha256")
    return base64.b64encode(digest).decode()


_sandbox = {
    "api_secret": _sandbox_secret("api"),
    "webhook_secret": f"whsec_{_sandbox_secret('webhook')}",
    "store_id": "store-sandbox",
    "channel_key": "channel-key-sandbox-manual",
    "identity_channel_key": "channel-key-sandbox-identity",
}
_portone_defaults = _sandbox if PAYMENTS_SANDBOX else dict.fromkeys(_sandbox, "")
PORTONE_API_SECRET = env.text(
    "PORTONE_API_SECRET", _portone_defaults["api_secret"], "V2 API secret of the PortOne store."
)
PORTONE_WEBHOOK_SECRET = env.text(
    "PORTONE_WEBHOOK_SECRET",
    _portone_defaults["webhook_secret"],
    "Signs PortOne's webhooks, whsec_….",
)
PORTONE_STORE_ID = env.text(
    "PORTONE_STORE_ID", _portone_defaults["store_id"], "The store's id at PortOne."
)
PORTONE_CHANNEL_KEY = env.text(
    "PORTONE_CHANNEL_KEY", _portone_defaults["channel_key"], "The channel to pay through."
)
PORTONE_IDENTITY_CHANNEL_KEY = env.text(
    "PORTONE_IDENTITY_CHANNEL_KEY",
    _portone_defaults["identity_channel_key"],
    "The channel to verify identities through.",
)
PORTONE_URL = env.text(
    "PORTONE_URL",
    f"http://127.0.0.1:{PAYMENTS_SANDBOX_PORT or PORT}/sandbox/portone"
    if PAYMENTS_SANDBOX
    else "https://api.portone.io",
    "Base URL of PortOne's API.",
)
PORTONE_MANUAL_CONFIRM = env.flag(
    "PORTONE_MANUAL_CONFIRM",
    True,
    "Our server triggers the charge; off where the channel charges in the browser.",
)
PORTONE_TAKES_TEST = env.flag(
    "PORTONE_TAKES_TEST",
    PAYMENTS_SANDBOX,
    "Accept payments through PortOne's test channels, which move no money.",
)
PORTONE_PAY_METHOD = env.text(
    "PORTONE_PAY_METHOD", "CARD", "PortOne's payment method: CARD, EASY_PAY, TRANSFER …."
)
PORTONE_SDK_URL = env.text(
    "PORTONE_SDK_URL",
    "https://cdn.portone.io/v2/browser-sdk.js",
    "PortOne's browser script, loaded on the page that opens the payment window.",
)
PORTONE_SDK_HOSTS = env.words(
    "PORTONE_SDK_HOSTS",
    ["https://*.portone.io", "https://*.iamport.co", "https://service.iamport.kr"],
    "Hosts that page may load, call, frame and post to; add your card processor's.",
)
PORTONE_TIMEOUT = env.number(
    "PORTONE_TIMEOUT", 8, "Seconds for one settlement; after them a worker asks PortOne again."
)
PORTONE_MAX_IN_FLIGHT = env.number(
    "PORTONE_MAX_IN_FLIGHT", 300, "Calls to PortOne that one process makes at a time; others wait."
)
PAYMENT_PATIENCE = env.number(
    "PAYMENT_PATIENCE", 10, "Seconds that a browser waits for a payment before it shows “checking”."
)

# -- tickets --------------------------------------------------------------------------------------

TICKET_KEY = env.text(
    "TICKET_KEY",
    "",
    "Signs tickets: 32 random bytes in base64url; by default derived from SECRET_KEY.",
)
TICKET_OLD_KEYS = env.words(
    "TICKET_OLD_KEYS", [], "Previous public keys, in base64url, whose tickets are still valid."
)

# -- the draw -------------------------------------------------------------------------------------

DRAW_KEY = env.text(
    "DRAW_KEY", "", "Encrypts the secrets of draws: a long random text; by default SECRET_KEY."
)
DRAW_KEY_FALLBACKS = env.words(
    "DRAW_KEY_FALLBACKS", [], "Previous draw keys, until `queue_renew_keys` has run."
)

# -- identities -----------------------------------------------------------------------------------

IDENTITY_KEY = env.text(
    "IDENTITY_KEY",
    "",
    "Makes digests of people's unique values: a long random text; by default SECRET_KEY.",
)
IDENTITY_KEY_FALLBACKS = env.words(
    "IDENTITY_KEY_FALLBACKS", [], "Previous identity keys; keep them, as no digest can be renewed."
)

# -- languages, time, files -----------------------------------------------------------------------

LANGUAGE_CODE = "ko"
LANGUAGES = [("ko", _("Korean")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["ticketing.core.formats"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "Asia/Seoul"
USE_TZ = True

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "/static/"
STATIC_ROOT = Path(
    env.text("STATIC_ROOT", str(VAR_DIR / "static"), "Folder of the collected static files.")
)
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_URL = "/media/"
MEDIA_ROOT = VAR_DIR / "media"
MEDIA_S3_BUCKET = env.text(
    "MEDIA_S3_BUCKET", "", "Bucket for uploads in S3-compatible storage; empty: files in VAR_DIR."
)
MEDIA_S3_URL = env.text(
    "MEDIA_S3_URL",
    "",
    "Address of that storage, if it is not Amazon's; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY "
    "log in there.",
)
STORAGES = {
    "default": media_storage(MEDIA_S3_BUCKET, MEDIA_S3_URL),
    "staticfiles": {"BACKEND": "ticketing.core.static_files.StaticFiles"},
}
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

# -- security -------------------------------------------------------------------------------------

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
# The door's page, which reads tickets, has the camera.
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
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not DEVELOPMENT
SESSION_COOKIE_HTTPONLY = True
# Tells the browsers of one person apart (core/browsers.py). With `__Host-` no subdomain can set it.
BROWSER_COOKIE_NAME = "browser" if DEVELOPMENT else "__Host-browser"
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
CSRF_FAILURE_VIEW = "ticketing.core.error_responses.csrf_failure"

# -- how long data is kept ------------------------------------------------------------------------

RETENTION_ORDERS_YEARS = env.number(
    "RETENTION_ORDERS_YEARS",
    5,
    "Years that orders of a deleted account stay connected with each other, as the law asks.",
)
RETENTION_JOURNAL = env.number(
    "RETENTION_JOURNAL", 365, "Days after an event that its queue's journal is kept."
)
RETENTION_APPEALS = env.number(
    "RETENTION_APPEALS", 1095, "Days after an event that appeals against blocks are kept."
)
RETENTION_WEBHOOKS = env.number(
    "RETENTION_WEBHOOKS", 90, "Days that received webhooks are kept, with their bodies."
)
RETENTION_OUTBOX = env.number(
    "RETENTION_OUTBOX", 90, "Days that delivered and undeliverable outgoing messages are kept."
)
RETENTION_REQUESTS = env.number(
    "RETENTION_REQUESTS", 30, "Days that finished asynchronous requests for seats are kept."
)
RETENTION_SECURITY_LOG = env.number(
    "RETENTION_SECURITY_LOG", 365, "Days that the security log is kept."
)
RETENTION_ADMIN_LOG = env.number(
    "RETENTION_ADMIN_LOG", 1095, "Days that the admin's own log of changes is kept."
)
RETENTION_CHECK_INS = env.number(
    "RETENTION_CHECK_INS", 365, "Days after an event that its check-ins are kept."
)
RETENTION_TRANSFERS = env.number(
    "RETENTION_TRANSFERS", 365, "Days that ended offers of tickets are kept, with their addresses."
)
RETENTION_SIGNALS = env.number(
    "RETENTION_SIGNALS", 90, "Days that signals of places in line are kept."
)
RETENTION_TOKENS = env.number(
    "RETENTION_TOKENS", 90, "Days that expired and revoked API tokens are kept."
)
RETENTION_EXPORTS = env.number(
    "RETENTION_EXPORTS", 7, "Days that an export of personal data can be downloaded."
)

# -- API ------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "ticketing.accounts.authentication.TokenAuthentication",
        "ticketing.accounts.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["ticketing.core.json_input.StrictJsonParser"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 20,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "ticketing.core.error_responses.for_api",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Ticketing API",
    "DESCRIPTION": "Events, seats, the waiting queue, reservations and payments.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "EventStatusEnum": "ticketing.events.api.serializers.PUBLIC_STATES",
        "StandingStatusEnum": "waiting_queue.api.documents.STATUSES",
        "StandingStateEnum": "waiting_queue.api.documents.STATES",
    },
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "queue_token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A queue token, `qr_…`: of a place in line, or the pass.",
            }
        }
    },
}

# -- logging --------------------------------------------------------------------------------------

LOG_LEVEL = env.text("LOG_LEVEL", "INFO", "Lowest level of log lines to write.")
LOG_FORMAT = env.choice(
    "LOG_FORMAT",
    "plain" if DEVELOPMENT else "json",
    ("plain", "json"),
    "“json”: a JSON object a line, for programs; “plain”: for people.",
)
ACCESS_LOG = env.flag("ACCESS_LOG", DEVELOPMENT, "Write a line for every answer, with its time.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "ticketing.core.logs.formats.PlainFormatter",
            "format": "%(levelname)-7s %(name)s  %(message)s",
        },
        "json": {"()": "ticketing.core.logs.formats.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        "axes": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
    },
}

# -- metrics --------------------------------------------------------------------------------------

METRICS = env.flag("METRICS", True, "Let Prometheus read every process, at an address of its own.")
METRICS_HOST = env.text(
    "METRICS_HOST",
    "127.0.0.1",
    "Address at which processes can be read; one that others can reach needs METRICS_TOKEN.",
)
METRICS_PORT = env.number(
    "METRICS_PORT", 0, "Port for it; 0: any free one, told by the files in VAR_DIR/metrics."
)
METRICS_TOKEN = env.text(
    "METRICS_TOKEN", "", "What Prometheus has to send as `Authorization: Bearer …`."
)
if METRICS and not METRICS_TOKEN and not is_local(METRICS_HOST):
    raise ImproperlyConfigured("METRICS_HOST can be reached by others: set METRICS_TOKEN.")

# -- traces ---------------------------------------------------------------------------------------

OTEL_EXPORTER_OTLP_ENDPOINT = env.text(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "",
    "Where spans are sent, if OpenTelemetry's packages are installed; empty: nowhere.",
)
TRACES_PERCENT = env.number("TRACES_PERCENT", 1, "Of so many requests in a hundred.")

SILENCED_SYSTEM_CHECKS: list[str] = []
