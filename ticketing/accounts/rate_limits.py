"""Rate limits of accounts. Many people may share an IP address, so its limits are high."""

from ticketing.core.throttle import RateLimit

LOG_IN = RateLimit("log_in", 300, 60, "Log-ins tried from one address, whoever for.")
FAILURES = RateLimit(
    "log_in_failures",
    20,
    3600,
    "Wrong passwords for one account from anywhere; then a new device needs a link from a mail.",
)
SIGN_UP = RateLimit("sign_up", 300, 60, "Sign-ups begun from one range of addresses (/24, /64).")
SIGN_UP_DEVICE = RateLimit("sign_up_device", 20, 600, "Sign-ups begun with one browser.")
SIGN_UP_CALM = RateLimit(
    "sign_up_calm", 20, 60, "The same from one range; more are asked for a challenge."
)
SIGN_UP_RUSH = RateLimit(
    "sign_up_rush", 200, 60, "Sign-ups of the whole site; more are asked for a challenge."
)
RESET_FROM = RateLimit("reset_from", 30, 600, "Reset mails asked for from one address.")
RESET_FOR = RateLimit(
    "reset_for", 5, 600, "Reset mails to one e-mail, so that nobody's inbox is filled."
)
MAILS_FOR = RateLimit(
    "mails_for", 5, 600, "Sign-up and confirmation mails to one e-mail, whoever asks."
)
CONFIRM_PASSWORD = RateLimit("confirm_password", 10, 600, "Own password tried again by one person.")
CREATE_TOKEN = RateLimit("create_token", 10, 60, "API tokens made by one person.")

RULES = [
    LOG_IN,
    FAILURES,
    SIGN_UP,
    SIGN_UP_DEVICE,
    SIGN_UP_CALM,
    SIGN_UP_RUSH,
    RESET_FROM,
    RESET_FOR,
    MAILS_FOR,
    CONFIRM_PASSWORD,
    CREATE_TOKEN,
]
LIVE_TOKENS = 20  # API tokens that one person may have at a time.
