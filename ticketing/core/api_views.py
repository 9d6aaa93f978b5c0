"""What views of the API have in common."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class NeverStored(APIView):
    """Its answers are one person's, or of this moment: no browser or proxy keeps them."""

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        final["Cache-Control"] = "no-store"
        return final
