"""Every address of the site, from Django's own table of URLs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

# A value for each kind of parameter; none of them is there.
VALUES: dict[str, Any] = {
    "IntConverter": 987_654,
    "SlugConverter": "nothing",
    "StringConverter": "nothing",
    "PathConverter": "987654",
    "UUIDConverter": "00000000-0000-4000-8000-000000000000",
    "SectionCode": "nothing",
}


@dataclass(frozen=True)
class Address:
    """`name` as in `reverse()`; of the few without a name, the path."""

    name: str
    url: str
    methods: frozenset[str]  # of an API call; empty for pages


def all_addresses() -> list[Address]:
    return list(_walk(get_resolver(), "", ""))


def _walk(resolver: Any, path: str, namespace: str) -> Iterator[Address]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern, path + _template(pattern), inner)
        elif isinstance(pattern, URLPattern):
            whole = path + _template(pattern)
            view = getattr(pattern.callback, "cls", None)
            methods = {name.upper() for name in getattr(view, "http_method_names", ())}
            methods = {name for name in methods if hasattr(view, name.lower())}
            name = f"{namespace}{pattern.name}" if pattern.name else whole
            yield Address(name, f"/{whole}", frozenset(methods - {"OPTIONS", "HEAD"}))


def _template(pattern: Any) -> str:
    """`events/<int:pk>/` with a value in the place of each parameter."""
    route = str(pattern.pattern)
    if isinstance(pattern.pattern, RegexPattern):  # two of the admin's
        return "queue/" if "app_label" in route else "nothing"
    for name, converter in pattern.pattern.converters.items():
        kind = type(converter).__name__
        start = route.index(f"{name}>")
        start = route.rindex("<", 0, start)
        end = route.index(">", start) + 1
        route = route[:start] + str(VALUES.get(kind, "nothing")) + route[end:]
    return route
