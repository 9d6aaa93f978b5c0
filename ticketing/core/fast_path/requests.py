"""A request as declared calls see it, from the event loop or from a Django view."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import QueryDict
from django.http.request import split_domain_port, validate_host
from rest_framework.request import Request

from ticketing.core import clock

Scope = dict[str, Any]


@dataclass(slots=True)
class ApiRequest:
    """`headers` are found by their lower-case names; `caller` and `data` are set on the way."""

    method: str
    path: str
    scheme: str
    own_origin: str
    headers: Mapping[str, str]
    path_params: Mapping[str, Any]
    query: str = ""
    body: bytes | None = None  # only in the event loop: of calls that read it, if it is small
    data: Any = None  # the parsed body
    caller: Any = None
    language: str = ""  # only of pages
    client: str = ""  # the IP address
    now: datetime = field(default_factory=clock.now)

    @property
    def is_head(self) -> bool:
        return self.method == "HEAD"

    @property
    def query_params(self) -> QueryDict:
        return QueryDict(self.query)


def from_scope(scope: Scope, path_params: Mapping[str, Any]) -> ApiRequest | None:
    """None for what Django must answer: an unknown host, plain HTTP where TLS is needed, a NUL."""
    headers = headers_of_scope(scope)
    scheme = scope["scheme"]
    if scheme != "https" and settings.SECURE_SSL_REDIRECT:
        return None
    host = headers.get("host", "")
    query = scope["query_string"].decode("latin-1")
    if not is_own_host(host, tuple(settings.ALLOWED_HOSTS)) or "%00" in query:
        return None
    return ApiRequest(
        method=scope["method"],
        path=scope["path"],
        scheme=scheme,
        own_origin=f"{scheme}://{host}",
        headers=headers,
        path_params=path_params,
        query=query,
        client=(scope.get("client") or ("",))[0],
    )


def from_django(request: Request, path_params: Mapping[str, Any], *, data: Any) -> ApiRequest:
    return ApiRequest(
        method=request.method or "",
        path=request.path,
        scheme=request.scheme or "",
        own_origin=f"{request.scheme}://{request.get_host()}",
        headers=request.headers,
        path_params=path_params,
        query=request.META.get("QUERY_STRING", ""),
        data=data,
        caller=request.user,
        client=request.META.get("REMOTE_ADDR") or "",
    )


def headers_of_scope(scope: Scope) -> dict[str, str]:
    pairs = scope["headers"]
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
    if len(headers) != len(pairs):  # a header that is sent twice is one list, as it is in WSGI
        headers.clear()
        for name, value in pairs:
            before = headers.get(key := name.decode("latin-1"))
            text = value.decode("latin-1")
            headers[key] = text if before is None else f"{before},{text}"
    return headers


@lru_cache(maxsize=256)
def is_own_host(host: str, own_hosts: tuple[str, ...]) -> bool:
    domain, _port = split_domain_port(host)
    return bool(domain) and validate_host(domain, own_hosts)
