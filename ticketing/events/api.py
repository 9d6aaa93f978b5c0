"""The public JSON API of events and their seats (docs/api.md)."""

import gzip
import re
from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.decorators import method_decorator
from django.utils.http import parse_etags
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from ticketing.core.fast_path.application import Call, FallThrough, Ready, Route
from ticketing.events import api_documents as documents
from ticketing.events import selectors
from ticketing.events.api_serializers import (
    EventQuery,
    EventSerializer,
    EventSummarySerializer,
    IndexSerializer,
)
from ticketing.events.models import Event
from ticketing.events.seat_list.cached import SeatList, aseat_list, seat_list

KEPT_BY_THE_READER = [(b"cache-control", b"no-cache"), (b"vary", b"Accept-Encoding")]


class AlwaysJson(BaseContentNegotiation):
    """There is one format, whatever a browser or a careless client says it accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class PublicView(APIView):
    """The same answer for everybody: nobody is asked who they are."""

    authentication_classes = []
    permission_classes = []
    content_negotiation_class = AlwaysJson


class IndexView(PublicView):
    @extend_schema(responses={200: IndexSerializer}, **documents.INDEX)
    def get(self, request: Request) -> Response:
        names = {"events": "api:events", "schema": "api:schema", "docs": "api:docs"}
        return Response({key: reverse(name, request=request) for key, name in names.items()})


class EventsView(PublicView):
    @extend_schema(parameters=[EventQuery], **documents.EVENTS)
    def get(self, request: Request) -> Response:
        query = EventQuery(data=request.query_params.dict())  # as JSON: an empty page is no page
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        events = selectors.search_events(selectors.public_events(), wanted["search"])
        if wanted["status"]:
            events = events.filter(state=wanted["status"])
        return Response(page_of(request, events.order_by("-starts_at", "-pk"), **wanted))


class EventView(PublicView):
    @extend_schema(responses=documents.one(EventSerializer), **documents.EVENT)
    def get(self, request: Request, event_id: int) -> Response:
        event = selectors.public_event(event_id)
        return Response(EventSerializer(event, context={"request": request}).data)


class SeatsView(PublicView):
    @extend_schema(**documents.SEATS)
    def get(self, request: Request, event_id: int) -> HttpResponse:
        known = versions_in(request.headers.get("If-None-Match", ""))
        return _seats_response(request, seat_list(event_id, known=known))


async def lean_seats(call: Call) -> tuple[int, Ready]:
    """For a crowd that looks at the map at once; whatever has to be built goes on to Django."""
    if not accepts_gzip(call.headers.get("accept-encoding", "")):
        raise FallThrough
    known = versions_in(call.headers.get("if-none-match", ""))
    found = await aseat_list(int(call.parts["event_id"]), known=known)
    if found is None:
        raise FallThrough
    headers = [(b"etag", f'W/"{found.version}"'.encode()), *KEPT_BY_THE_READER]
    if found.body is None:
        return 304, Ready(b"", headers)
    return 200, Ready(found.body, [*headers, (b"content-encoding", b"gzip")])


SEATS = r"GET /api/v1/events/(?P<event_id>[0-9]{1,18})/seats/"
lean_routes = [Route(re.compile(SEATS), lean_seats)]


def versions_in(if_none_match: str) -> list[str]:
    return [tag.removeprefix("W/").strip('"') for tag in parse_etags(if_none_match)]


def page_of(
    request: Request, events: QuerySet[Event], *, page: int, page_size: int, **_: Any
) -> dict[str, Any]:
    """One page, how many there are in all, and the addresses of the pages beside it."""
    count, start = events.count(), (page - 1) * page_size
    rows = events[start : start + page_size]
    return {
        "count": count,
        "next": _page_link(request, page + 1) if start + page_size < count else None,
        "previous": _page_link(request, page - 1) if page > 1 else None,
        "results": EventSummarySerializer(rows, many=True, context={"request": request}).data,
    }


def _page_link(request: Request, page: int) -> str:
    query = request.query_params.copy()
    query["page"] = str(page)
    return f"{request.build_absolute_uri(request.path)}?{query.urlencode()}"


def _seats_response(request: HttpRequest | Request, seats: SeatList) -> HttpResponse:
    """The stored bytes as they are, for everyone who can unpack them."""
    if seats.body is None:
        response = HttpResponse(status=304)
    elif accepts_gzip(request.headers.get("Accept-Encoding", "")):
        response = HttpResponse(seats.body, content_type="application/json")
        response["Content-Encoding"] = "gzip"
    else:
        response = HttpResponse(gzip.decompress(seats.body), content_type="application/json")
    if seats.version:
        response["ETag"] = f'W/"{seats.version}"'
    response["Cache-Control"] = "no-cache"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def accepts_gzip(header: str) -> bool:
    """`gzip`, unless with the weight 0, which means no."""
    for offer in header.lower().split(","):
        coding, _, weight = offer.replace(" ", "").partition(";q=")
        if coding in {"gzip", "x-gzip"}:
            return weight.strip("0.") != "" or not weight
    return False


class SchemaView(SpectacularAPIView):
    authentication_classes = []
    permission_classes = []


# Swagger UI writes style attributes; scripts stay as strict as everywhere.
@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class DocsView(SpectacularSwaggerSplitView):
    authentication_classes = []
    permission_classes = []
    url_name = "api:schema"
