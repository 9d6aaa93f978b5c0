"""Limits on people, browsers and networks that take more than their share, and challenges."""

from ticketing.settings.environment import env

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

MOVES_PER_MINUTE = env.number(
    "MOVES_PER_MINUTE", 20, "Joins and leaves of one person in one line in a minute; 0: no limit."
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
