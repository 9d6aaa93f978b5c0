"""One declaration of an API call, from which its fast route and its Django view are made."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ticketing.core.fast_path.application import FallThrough, Route, route
from ticketing.core.fast_path.requests import ApiRequest, from_django
from ticketing.core.fast_path.responses import ApiResponse
from ticketing.core.json_input import read_json
from ticketing.core.slots import slot

API_ROOT = "api/v1/"


class FastAuthentication(Protocol):
    """A REST framework authentication class that can also be asked in the event loop."""

    async def aauthenticate(self, request: ApiRequest) -> Any:
        """The caller; raises `NotLoggedIn`, or `FallThrough` for credentials it can't check."""


def no_arguments(request: ApiRequest) -> dict[str, Any]:
    return dict(request.path_params)


def never(request: ApiRequest) -> bool:
    return False


def may_not_accept_json(request: ApiRequest) -> bool:
    """Whether only the view can tell if the client takes JSON."""
    accepted = request.headers.get("accept", "*/*")
    return not any(kind in accepted for kind in ("*/*", "application/json"))


@dataclass(kw_only=True, eq=False)
class ApiCall:
    """A call with all that the fast path, the Django view and the OpenAPI document need.

    `service` and `aservice` do the same, in a thread and in a coroutine. `arguments` reads their
    keyword arguments from the request, `render` turns the result into a response; both are pure.
    Refusals are raised (`DomainError`) and answered by `error_responses`.
    """

    method: str
    path: str  # below `root`, as in a URLconf
    document: dict[str, Any]  # for the OpenAPI document
    service: Callable[..., Any]
    aservice: Callable[..., Awaitable[Any]]
    render: Callable[[ApiRequest, Any], ApiResponse]
    arguments: Callable[[ApiRequest], dict[str, Any]] = no_arguments
    # The view has to name the same class in its `authentication_classes`.
    authentication: type[FastAuthentication] | None = None
    # Whether there is a JSON body. Calls without one ignore a small body and refuse a large one.
    reads_body: bool = False
    # Which requests only the view understands.
    falls_through: Callable[[ApiRequest], bool] = never
    root: str = API_ROOT
    # Whether few of these calls work at a time in a process, and the others wait for a slot.
    takes_slot: bool = False

    @property
    def name(self) -> str:
        return self.document["operation_id"]

    def route(self) -> Route:
        return route(self.method, self.root + self.path, self.answer, reads_body=self.reads_body)

    async def answer(self, request: ApiRequest) -> ApiResponse:
        """In the event loop, when it is this call's turn."""
        async with slot() if self.takes_slot else nullcontext():
            return await self._answer(request)

    async def _answer(self, request: ApiRequest) -> ApiResponse:
        """What can't be read is refused by the view, which has a language."""
        if self.falls_through(request):
            raise FallThrough()
        if self.reads_body:
            request.data = _json_body(request)
        if self.authentication:
            request.caller = await self.authentication().aauthenticate(request)
        try:
            arguments = self.arguments(request)
        except ValidationError:
            raise FallThrough() from None
        return self.render(request, await self.aservice(**arguments))

    def view_method(self) -> Callable[..., HttpResponse]:
        """A method for a REST framework view, named after the HTTP method."""

        @extend_schema(**self.document)
        def method(view: Any, request: Request, **path_params: Any) -> HttpResponse:
            data = request.data if self.reads_body else None
            call = from_django(request, path_params, data=data)
            return _for_django(self.render(call, self.service(**self.arguments(call))))

        method.takes_no_body = not self.reads_body  # type: ignore[attr-defined]
        return method


def _json_body(request: ApiRequest) -> Any:
    """The parsed body of an ordinary JSON request; anything else is for the view."""
    headers = request.headers
    is_json = headers.get("content-type", "").partition(";")[0] == "application/json"
    if not (is_json and request.body) or may_not_accept_json(request):
        raise FallThrough()
    try:
        return read_json(request.body)
    except ValueError:
        raise FallThrough() from None


def _for_django(response: ApiResponse) -> HttpResponse:
    status, content, headers = response
    if not isinstance(content, bytes):
        return Response(content, status=status, headers=dict(headers))
    raw = HttpResponse(content, status=status, content_type="application/json")
    for name, value in headers.items():
        raw[name] = value
    return raw
