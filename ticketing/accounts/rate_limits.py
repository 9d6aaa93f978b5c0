"""Rate limits of accounts. Many people may share an IP address, so its limits are high."""

from ticketing.core.throttle import RateLimit

LOG_IN = RateLimit("log_in", 300, 60, "Log-ins tried from one address, whoever for.")
SIGN_UP = RateLimit("sign_up", 120, 60, "Accounts made from one address.")
RESET_FROM = RateLimit("reset_from", 30, 600, "Reset mails asked for from one address.")
RESET_FOR = RateLimit(
    "reset_for", 5, 600, "Reset mails to one e-mail, so that nobody's inbox is filled."
)
CONFIRM_PASSWORD = RateLimit("confirm_password", 10, 600, "Own password tried again by one person.")
CREATE_TOKEN = RateLimit("create_token", 10, 60, "API tokens made by one person.")

RULES = [LOG_IN, SIGN_UP, RESET_FROM, RESET_FOR, CONFIRM_PASSWORD, CREATE_TOKEN]
LIVE_TOKENS = 20  # API tokens that one person may have at a time.
