"""The waiting queue: ticks, live updates and the draw."""

from django.core.exceptions import ImproperlyConfigured

from ticketing.settings.environment import env

TICK_MS = env.number("TICK_MS", 1_000, "Milliseconds from one tick of the queues to the next.")
if not 100 <= TICK_MS <= 3_000:
    raise ImproperlyConfigured("TICK_MS is at least 100 and at most 3000.")
TICK_BATCH = env.number(
    "TICK_BATCH", 500, "People whom the tick's script calls at most; it runs up to 10 times a tick."
)
SWEEP_BATCH = env.number(
    "SWEEP_BATCH", 200, "People whom the tick's script takes out of a line at most, each time."
)
if not 1 <= min(TICK_BATCH, SWEEP_BATCH) <= max(TICK_BATCH, SWEEP_BATCH) <= 5_000:
    raise ImproperlyConfigured("TICK_BATCH and SWEEP_BATCH are at least 1 and at most 5000.")

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

DRAW_KEY = env.text(
    "DRAW_KEY", "", "Encrypts the secrets of draws: a long random text; by default SECRET_KEY."
)
DRAW_KEY_FALLBACKS = env.words(
    "DRAW_KEY_FALLBACKS", [], "Previous draw keys, until `queue_renew_keys` has run."
)
