"""Settings. What differs between deployments comes from the environment (docs/knobs.md).

Without DATABASE_URL this is the development set-up on the embedded servers of `manage.py up`.
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

from ticketing.core.clock import skew_in
from ticketing.core.knobs import Environment
from ticketing.core.site_address import public_url, site_url
from ticketing.development import embedded

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()

VAR_DIR = Path(
    env.text("VAR_DIR", str(BASE_DIR / "var"), "Folder for everything that is written at run time.")
)
DEVELOPMENT = env.flag(
    "DEVELOPMENT",
    "DATABASE_URL" not in os.environ,
    "Plain HTTP, local hosts and a made-up secret key; on by itself only without DATABASE_URL.",
)
CLOCK_SKEW = skew_in(
    env.text(
        "CLOCK_SKEW_FILE",
        "",
        "For rehearsals: a file with seconds by which clocks are set wrong; only in development.",
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
    "SECRET_KEY_FALLBACKS", [], "Earlier secret keys that are still accepted, while rotating."
)

ALLOWED_HOSTS: list[str] = env.words(
    "ALLOWED_HOSTS",
    ["localhost", "127.0.0.1", "[::1]"] if DEVELOPMENT else [],
    "Host names this site answers to.",
)
CSRF_TRUSTED_ORIGINS = env.words(
    "CSRF_TRUSTED_ORIGINS", [], "Further origins whose forms are accepted, with scheme."
)

# -- payments -------------------------------------------------------------------------------------

PAYMENTS_SANDBOX = env.flag(
    "PAYMENTS_SANDBOX",
    DEVELOPMENT,
    "Pay at a local PortOne that moves no money; never in production.",
)
PAYMENTS_SANDBOX_WEBHOOK = env.text(
    "PAYMENTS_SANDBOX_WEBHOOK",
    "/payments/webhooks/portone/",
    "Where that one sends its webhooks; a path is a path of this site.",
)


def _secret_of_the_sandbox(name: str) -> str:
    """Nobody has to set it, nobody can guess it."""
    drawn = hmac.digest(SECRET_KEY.encode(), f"sandbox {name}".encode(), "sha256")
    return base64.b64encode(drawn).decode()


_sandbox = {
    "api_secret": _secret_of_the_sandbox("api"),
    "webhook_secret": f"whsec_{_secret_of_the_sandbox('webhook')}",
    "store_id": "store-sandbox",
    "channel_key": "channel-key-sandbox-manual",
}
_otherwise = _sandbox if PAYMENTS_SANDBOX else dict.fromkeys(_sandbox, "")
PORTONE_API_SECRET = env.text(
    "PORTONE_API_SECRET", _otherwise["api_secret"], "V2 API secret of the PortOne store."
)
PORTONE_WEBHOOK_SECRET = env.text(
    "PORTONE_WEBHOOK_SECRET", _otherwise["webhook_secret"], "Signs PortOne's webhooks, whsec_…."
)
PORTONE_STORE_ID = env.text(
    "PORTONE_STORE_ID", _otherwise["store_id"], "The store's id at PortOne."
)
PORTONE_CHANNEL_KEY = env.text(
    "PORTONE_CHANNEL_KEY", _otherwise["channel_key"], "The channel to pay through."
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
    "ticketing.console",  # last: its roles name the permissions of all the others
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

# -- servers --------------------------------------------------------------------------------------

HOST = env.text("HOST", "127.0.0.1", "Address to listen on; 0.0.0.0 is every one of this machine.")
PORT = env.number("PORT", 8000, "Port to listen on; 0 takes any free one.")
WEB_PROCESSES = env.number("WEB_PROCESSES", 2, "Server processes that `manage.py up` starts.")
TRUSTED_PROXIES = env.words(
    "TRUSTED_PROXIES",
    ["127.0.0.1", "::1"],
    "Addresses or networks of the proxies whose word on the caller's address and TLS counts.",
)
WEB_THREADS = env.number("WEB_THREADS", 8, "Pages that one server process works on at a time.")
HOLD_TRIES = env.number(
    "HOLD_TRIES", 30, "Tries for seats that one person has in 10 s at one event; 0: any number."
)
FAST_PATH_THREADS = env.number(
    "FAST_PATH_THREADS", 4, "Holds that one server process has the database decide at a time."
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
REDIS_TIMEOUT = env.number("REDIS_TIMEOUT", 3, "Seconds after which a silent Redis counts as down.")
LIVE_NEAR = env.number(
    "LIVE_NEAR", 1000, "So many at the head of a line are told of every step; others less often."
)
BROKER_URL = env.text("BROKER_URL", REDIS_URL, "Redis for Celery, where it is another one.")

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
        },
    }
}

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "channels"},
    }
}

CELERY_BROKER_URL = embedded.celery_url(BROKER_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# The tick has a worker of its own: nothing else may make it late. So have the payments: whoever
# waits for a slow gateway must not keep seats from coming back, or the console from being told.
CELERY_TASK_ROUTES = {
    "queue.tick": {"queue": "tick"},
    "reservations.process_hold_requests": {"queue": "holds"},
    "payments.resume": {"queue": "payments"},
    "payments.settle": {"queue": "payments"},
    "payments.deliver": {"queue": "payments"},
    "payments.refund_cancelled_events": {"queue": "payments"},
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False  # mail that is only printed stays readable
CELERY_TIMEZONE = "Asia/Seoul"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")

# -- people ---------------------------------------------------------------------------------------

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

# Sessions are true in PostgreSQL and read from Redis: no SQL on hot paths, nobody logged out by a
# lost Redis.
SESSION_ENGINE = "ticketing.accounts.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600

AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_FAILURE_LIMIT = env.number(
    "LOGIN_FAILURES", 5, "Wrong passwords for one e-mail from one address before a pause."
)
AXES_COOLOFF_TIME = env.number("LOGIN_PAUSE_HOURS", 1, "Hours that such a pause lasts.")
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "ticketing.accounts.views.lockout_response"
AXES_USERNAME_CALLABLE = "ticketing.accounts.views.login_email"
# A pause is as long as it says, however often somebody knocks meanwhile.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_ENABLE_ADMIN = False
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
# The ASGI server already put the caller's address here, from the proxies that it trusts.
AXES_IPWARE_META_PRECEDENCE_ORDER = ["REMOTE_ADDR"]

STAFF_TWO_FACTOR = env.text(
    "STAFF_TWO_FACTOR",
    "off" if DEVELOPMENT else "required",
    "“required”: staff log in with a code from their phone; “off”: only whoever has set it up.",
)
OTP_TOTP_ISSUER = "Ticketing"
OTP_ADMIN_HIDE_SENSITIVE_DATA = True

SITE_URL = env.text(
    "SITE_URL",
    site_url(HOST, PORT) if DEVELOPMENT else public_url(ALLOWED_HOSTS),
    "Where people find this site, with scheme: links in mails lead there.",
).rstrip("/")
_mail_server = env.text(
    "EMAIL_HOST", "", "Mail server; without one mails are kept in a folder, or else printed."
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
    "EMAIL_FROM", "tickets@localhost", "Sender of the mail that this site sends."
)
EMAIL_REPLY_TO = env.text(
    "EMAIL_REPLY_TO", "", "Where answers to that mail go; without one, to the sender."
)

# -- money ----------------------------------------------------------------------------------------

PORTONE_URL = env.text(
    "PORTONE_URL",
    f"http://127.0.0.1:{PORT}/sandbox/portone" if PAYMENTS_SANDBOX else "https://api.portone.io",
    "Where PortOne's API is.",
)
PORTONE_MANUAL_CONFIRM = env.flag(
    "PORTONE_MANUAL_CONFIRM",
    True,
    "Our server triggers the charge; off where the channel charges in the browser.",
)
PORTONE_TAKES_TEST = env.flag(
    "PORTONE_TAKES_TEST",
    PAYMENTS_SANDBOX,
    "Payments through PortOne's test channels, which move no money, buy seats.",
)
PORTONE_PAY_METHOD = env.text(
    "PORTONE_PAY_METHOD", "CARD", "How to pay, as PortOne names it: CARD, EASY_PAY, TRANSFER …."
)
PORTONE_SDK_URL = env.text(
    "PORTONE_SDK_URL",
    "https://cdn.portone.io/v2/browser-sdk.js",
    "PortOne's script for browsers; loaded on the page that opens the payment window.",
)
PORTONE_SDK_HOSTS = env.words(
    "PORTONE_SDK_HOSTS",
    ["https://*.portone.io", "https://*.iamport.co", "https://service.iamport.kr"],
    "What that page may load, call, frame and post to; add your card processor's hosts.",
)
PORTONE_TIMEOUT = env.number(
    "PORTONE_TIMEOUT", 60, "Seconds that a worker waits for PortOne, which asks for 60."
)
PAYMENT_PATIENCE = env.number(
    "PAYMENT_PATIENCE", 10, "Seconds that a browser waits for a payment before it reads “checking”."
)

# -- tickets --------------------------------------------------------------------------------------

TICKET_KEY = env.text(
    "TICKET_KEY",
    "",
    "Signs tickets: 32 random bytes in base64url; without one, drawn from SECRET_KEY.",
)
TICKET_OLD_KEYS = env.words(
    "TICKET_OLD_KEYS", [], "Earlier public keys, in base64url, whose tickets are still good."
)

# -- words, time, files ---------------------------------------------------------------------------

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
    "TLS_REDIRECT", not DEVELOPMENT, "Send plain HTTP to HTTPS; off if the proxy does it."
)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = env.number(
    "HSTS_SECONDS",
    0 if DEVELOPMENT else 365 * 24 * 3600,
    "How long browsers insist on HTTPS once they have seen it.",
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not DEVELOPMENT
CSRF_FAILURE_VIEW = "ticketing.core.error_responses.csrf_failure"

# -- api ------------------------------------------------------------------------------------------

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

# -- logs -----------------------------------------------------------------------------------------

LOG_LEVEL = env.text("LOG_LEVEL", "INFO", "Least important log line to write.")
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
