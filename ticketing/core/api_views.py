"""Base classes of the API's views."""

from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ticketing.core.error_responses import API_CSP
from ticketing.core.fast_path.bodies import require_small_body


class AlwaysJson(BaseContentNegotiation):
    """There is one format, whatever the client says that it accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """A view that answers JSON: a browser that shows it runs and loads nothing."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """A declared call without a body refuses a large one before it asks who calls."""
        method = getattr(self, (request.method or "").lower(), None)
        if getattr(method, "takes_no_body", False):
            require_small_body(request.headers)
        super().initial(request, *args, **kwargs)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        final["Content-Security-Policy"] = API_CSP
        return final


class NoStoreView(ApiView):
    """Its responses are one person's, or of this moment: no browser or proxy keeps them."""

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        final["Cache-Control"] = "no-store"
        return final
