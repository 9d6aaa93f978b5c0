"""Requests by route and status, on both paths.

The label `route` is written as in a URLconf and never contains what a client sent, so that nobody
can make new series: addresses without a route share one, and so do all pages of the admin.
"""

from bisect import bisect_left
from collections.abc import Iterable

from prometheus_client import REGISTRY
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

from ticketing.core.metrics.families import BOUNDS, Durations

COUNT, COUNT_TEXT = "http_requests_total", "Answered requests."
SECONDS, SECONDS_TEXT = "http_request_seconds", "From the request to its answer."
LABELS = ("path", "method", "route")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
FAST, DJANGO, UNKNOWN = "fast", "django", "unknown"


class RequestStats(Durations):
    """Those of one method and route."""

    __slots__ = ("statuses",)

    def __init__(self) -> None:
        super().__init__()
        self.statuses: dict[int, int] = {}

    def note_answer(self, status: int, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
        self.statuses[status] = self.statuses.get(status, 0) + 1


class RequestFamilies:
    """Both families, of all routes that were asked for."""

    def __init__(self) -> None:
        self.stats: dict[tuple[str, str, str], RequestStats] = {}
        REGISTRY.register(self)

    def of(self, path: str, method: str, route: str) -> RequestStats:
        labels = (path, method if method in METHODS else "other", route)
        return self.stats.get(labels) or self.stats.setdefault(labels, RequestStats())

    def describe(self) -> Iterable[Metric]:
        return [
            CounterMetricFamily(COUNT, COUNT_TEXT, labels=[*LABELS, "status"]),
            HistogramMetricFamily(SECONDS, SECONDS_TEXT, labels=LABELS),
        ]

    def collect(self) -> Iterable[Metric]:
        counts = CounterMetricFamily(COUNT, COUNT_TEXT, labels=[*LABELS, "status"])
        seconds = HistogramMetricFamily(SECONDS, SECONDS_TEXT, labels=LABELS)
        for labels, stats in list(self.stats.items()):
            for status, count in list(stats.statuses.items()):
                counts.add_metric([*labels, str(status)], count)
            if stats.statuses:
                seconds.add_metric(labels, stats.buckets(), stats.seconds)
        return [counts, seconds]


requests = RequestFamilies()
