import gc

# Python would look for garbage 500 times while it loads the site, and find none: 0.3 s each time.
gc.set_threshold(50_000, 20)

from ticketing.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
