"""Settings. Those that differ between deployments come from the environment (docs/knobs.md).

Without DATABASE_URL this is the development setup with the embedded servers of `manage.py up`.
"""

import base64
import hmac
import os
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from whitenoise.compress import Compressor

from ticketing.core.clock import clock_skew
from ticketing.core.knobs import Environment
from ticketing.core.redis_breaker import once_more
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
    "ticketing.rehearsal",
    "ticketing.console",  # last: its roles refer to the permissions of all other apps
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "ticketing.console.middleware.SecondFactor",
    "ticketing.core.middleware.ErrorMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "ticketing.urls"
ASGI_APPLICATION = "ticketing.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ticketing.accounts.context_processors.caller",
                "ticketing.accounts.context_processors.development_mode",
            ]
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
    300,
    "Sockets that each server process lets newcomers open in a second; others poll meanwhile.",
)
HOLD_TRIES = env.number(
    "HOLD_TRIES", 30, "Attempts to hold seats per person and event in 10 s; 0: no limit."
)
FAST_PATH_THREADS = env.number(
    "FAST_PATH_THREADS", 4, "Holds that one server process runs in the database at a time."
)
_embedded = embedded.addresses(VAR_DIR)
DATABASE_URL = env.text(
    "DATABASE_URL", _embedded.database_url, "PostgreSQL to use; by default the embedded one."
)
REDIS_URL = env.text(
    "REDIS_URL", _embedded.redis_url, "Redis or Valkey to use; by default the embedded one."
)
QUEUE_REDIS_URL = env.text(
    "QUEUE_REDIS_URL", REDIS_URL, "Redis of the queue; redis+cluster:// for a Redis Cluster."
)
REDIS_TIMEOUT = env.number(
    "REDIS_TIMEOUT", 1, "Seconds after which an unresponsive Redis counts as down."
)
LIVE_NEAR = env.number(
    "LIVE_NEAR",
    1000,
    "Number of people at the head of a line who get every update; others get fewer.",
)
BROKER_URL = env.text("BROKER_URL", REDIS_URL, "Redis for Celery, if it is a different one.")

DATABASES = {
    "default": dj_database_url.parse(
        DATABASE_URL,
        conn_max_age=60,
        conn_health_checks=True,
        engine="django.db.backends.postgresql",
    )
}
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 3)

CACHES = {
    "default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "cache",
        "OPTIONS": {
            "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
            "SOCKET_TIMEOUT": REDIS_TIMEOUT,
            "SOCKET_CONNECT_TIMEOUT": REDIS_TIMEOUT,
            "CONNECTION_POOL_CLASS": "ticketing.core.redis_breaker.BreakerPool",
            "CONNECTION_POOL_KWARGS": once_more(),
        },
    }
}

# -- Celery ---------------------------------------------------------------------------------------

CELERY_BROKER_URL = embedded.celery_url(BROKER_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# The tick has its own worker, so that nothing delays it. So have payments and mails: a slow gateway
# must not delay the return of seats, nor a slow mail server the settlement of payments.
CELERY_TASK_ROUTES = {
    "queue.tick": {"queue": "tick"},
    "reservations.process_hold_requests": {"queue": "holds"},
    "payments.resume": {"queue": "payments"},
    "payments.refund_cancelled_events": {"queue": "payments"},
    "payments.deliver": {"queue": "mail"},
    "accounts.mail_password_reset": {"queue": "mail"},
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
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "accounts:log_in"
LOGIN_REDIRECT_URL = "ticketing:home"
LOGOUT_REDIRECT_URL = "ticketing:home"
PASSWORD_RESET_TIMEOUT = 3600

# Session rows are in PostgreSQL and read from Redis: no SQL on hot paths, and losing Redis logs
# nobody out.
SESSION_ENGINE = "ticketing.accounts.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600

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
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_URL = "/media/"
MEDIA_ROOT = VAR_DIR / "media"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
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
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not DEVELOPMENT
SESSION_COOKIE_HTTPONLY = True
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

# -- API ------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "ticketing.accounts.authentication.TokenAuthentication",
        "ticketing.accounts.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
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
                "description": "A queue token, `qr_…`, as given on joining.",
            }
        }
    },
}

# -- logging --------------------------------------------------------------------------------------

LOG_LEVEL = env.text("LOG_LEVEL", "INFO", "Lowest level of log lines to write.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)-7s %(name)s  %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        "axes": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
    },
}
SILENCED_SYSTEM_CHECKS: list[str] = []
