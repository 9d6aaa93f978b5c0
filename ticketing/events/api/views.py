"""The public JSON API of events and their seats (docs/api.md)."""

from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.db.models import QuerySet
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from ticketing.core.api_views import AlwaysJson, ApiView
from ticketing.events import selectors
from ticketing.events.api import calls, documents
from ticketing.events.api.serializers import (
    EventQuery,
    EventSerializer,
    EventSummarySerializer,
    IndexSerializer,
)
from ticketing.events.models import Event


class PublicView(ApiView):
    """The same response for everybody, without authentication."""

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
    get = calls.SEATS.view_method()


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


class SchemaView(SpectacularAPIView):
    authentication_classes = []
    permission_classes = []


# Swagger UI writes style attributes; scripts stay as strict as everywhere.
@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class DocsView(SpectacularSwaggerSplitView):
    authentication_classes = []
    permission_classes = []
    url_name = "api:schema"
