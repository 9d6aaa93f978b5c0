"""How often people may knock. An address may be shared by many, so its limits are wide."""

from ticketing.core.throttle import Rule

LOG_IN = Rule("log_in", 300, 60, "Log-ins tried from one address, whoever for.")
SIGN_UP = Rule("sign_up", 120, 60, "Accounts made from one address.")
RESET_FROM = Rule("reset_from", 30, 600, "Reset mails asked for from one address.")
RESET_FOR = Rule(
    "reset_for", 5, 600, "Reset mails to one e-mail, so that nobody's inbox is filled."
)
CONFIRM_PASSWORD = Rule("confirm_password", 10, 600, "Own password tried again by one person.")
CREATE_TOKEN = Rule("create_token", 10, 60, "API tokens made by one person.")

RULES = [LOG_IN, SIGN_UP, RESET_FROM, RESET_FOR, CONFIRM_PASSWORD, CREATE_TOKEN]
LIVE_TOKENS = 20  # API tokens that one person may have at a time.
