"""Accounts: passwords, sessions, log-in limits, staff log-in and identities."""

from ticketing.settings.environment import BASE_DIR, DEVELOPMENT, env

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
LOGIN_URL = "accounts:log_in"
LOGIN_REDIRECT_URL = "ticketing:home"
LOGOUT_REDIRECT_URL = "ticketing:home"

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
PASSWORD_RESET_TIMEOUT = 3600

# Sessions are stored in PostgreSQL and cached in Redis: hot paths need no SQL, and nobody is logged
# out if Redis loses its data.
SESSION_ENGINE = "ticketing.accounts.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600

AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_FAILURE_LIMIT = env.number(
    "LOGIN_FAILURES",
    5,
    "Wrong passwords for one e-mail from one IP address before log-in is paused.",
)
AXES_COOLOFF_TIME = env.number("LOGIN_PAUSE_HOURS", 1, "Hours for which log-in is then paused.")
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

IDENTITY_KEY = env.text(
    "IDENTITY_KEY",
    "",
    "Makes digests of people's unique values: a long random text; by default SECRET_KEY.",
)
IDENTITY_KEY_FALLBACKS = env.words(
    "IDENTITY_KEY_FALLBACKS", [], "Previous identity keys; keep them, as no digest can be renewed."
)
