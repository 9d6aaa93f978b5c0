"""The site's settings, with views that do nothing as baselines."""

from ticketing.settings import *  # noqa: F403

ROOT_URLCONF = "bench.urls"
HOLD_TRIES = 0  # no rate limit: a few sessions send all requests
