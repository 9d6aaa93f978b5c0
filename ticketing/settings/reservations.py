"""Holds and tickets."""

from ticketing.settings.environment import env

HOLD_TRIES = env.number(
    "HOLD_TRIES", 30, "Attempts to hold seats per person and event in 10 s; 0: no limit."
)
SEAT_WAIT_SECONDS = env.number(
    "SEAT_WAIT_SECONDS",
    3,
    "Seconds that a hold waits for rows that others have locked; less than DATABASE_TIMEOUT.",
)

TICKET_KEY = env.text(
    "TICKET_KEY",
    "",
    "Signs tickets: 32 random bytes in base64url; by default derived from SECRET_KEY.",
)
TICKET_OLD_KEYS = env.words(
    "TICKET_OLD_KEYS", [], "Previous public keys, in base64url, whose tickets are still valid."
)
