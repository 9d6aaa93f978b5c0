"""Counts and durations in plain numbers, made into Prometheus' families when they are read.

prometheus_client's own counters take a lock for every number. These take none: hot paths pay a
fraction of a microsecond, and the reader does the rest. A metric is registered where it is made.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from prometheus_client import REGISTRY
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

# In seconds. A poll takes tenths of milliseconds, a gateway seconds.
BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
NAMES = [*map(str, BOUNDS), "+Inf"]
Labels = tuple[str, ...]


class Durations:
    """How often something took how long."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * len(NAMES)
        self.seconds = 0.0

    def note(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def buckets(self) -> list[tuple[str, float]]:
        return list(zip(NAMES, accumulate(self.counts), strict=True))


class Histogram:
    """Durations by labels. The caller keeps the number of different labels small."""

    def __init__(self, name: str, text: str, labels: Sequence[str] = ()) -> None:
        self.name, self.text, self.label_names = name, text, labels
        self.children: dict[Labels, Durations] = {}
        REGISTRY.register(self)

    def labels(self, *labels: str) -> Durations:
        return self.children.get(labels) or self.children.setdefault(labels, Durations())

    def describe(self) -> Iterable[Metric]:
        return [HistogramMetricFamily(self.name, self.text, labels=self.label_names)]

    def collect(self) -> Iterable[Metric]:
        family = HistogramMetricFamily(self.name, self.text, labels=self.label_names)
        for labels, durations in list(self.children.items()):
            family.add_metric(labels, durations.buckets(), durations.seconds)
        return [family]


class Count:
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0

    def inc(self, by: int = 1) -> None:
        self.value += by


class Counter:
    """Counts by labels; `name` ends in `_total`. `labels()` of one without labels is the count."""

    def __init__(self, name: str, text: str, labels: Sequence[str] = ()) -> None:
        self.name, self.text, self.label_names = name, text, labels
        self.children: dict[Labels, Count] = {}
        REGISTRY.register(self)

    def labels(self, *labels: str) -> Count:
        return self.children.get(labels) or self.children.setdefault(labels, Count())

    def describe(self) -> Iterable[Metric]:
        return [CounterMetricFamily(self.name, self.text, labels=self.label_names)]

    def collect(self) -> Iterable[Metric]:
        family = CounterMetricFamily(self.name, self.text, labels=self.label_names)
        for labels, count in list(self.children.items()):
            family.add_metric(labels, count.value)
        return [family]


class Gauge:
    """Numbers that `read` finds out at the moment of reading, by labels."""

    def __init__(
        self,
        name: str,
        text: str,
        labels: Sequence[str],
        read: Callable[[], Iterable[tuple[Labels, float]]],
    ) -> None:
        self.name, self.text, self.label_names, self.read = name, text, labels, read
        REGISTRY.register(self)

    def describe(self) -> Iterable[Metric]:
        return [GaugeMetricFamily(self.name, self.text, labels=self.label_names)]

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily(self.name, self.text, labels=self.label_names)
        for labels, value in self.read():
            family.add_metric(labels, value)
        return [family]
