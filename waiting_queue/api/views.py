"""The queue's calls as Django views, and appeals against blocks (docs/api.md)."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from ticketing.core import clock
from ticketing.core.api_views import AlwaysJson, NoStoreView
from waiting_queue import selectors, services
from waiting_queue.api import calls, documents
from waiting_queue.api.callers import QueueAuthentication
from waiting_queue.models import BlockAppeal


class QueueApiView(NoStoreView):
    authentication_classes = [QueueAuthentication]
    permission_classes = []
    http_method_names = ["get", "post", "delete"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Another method is refused before anybody is asked who they are."""
        method = (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):
            self.http_method_not_allowed(request)
        super().initial(request, *args, **kwargs)


class QueueCallView(QueueApiView):
    content_negotiation_class = AlwaysJson


class QueueView(QueueCallView):
    get = calls.STANDING.view_method()
    post = calls.JOIN.view_method()
    delete = calls.LEAVE.view_method()


class ClaimView(QueueCallView):
    post = calls.CLAIM.view_method()


class OutlookView(QueueCallView):
    authentication_classes = []
    get = calls.OUTLOOK.view_method()


class AppealView(QueueApiView):
    """For somebody who was blocked: the reason, their appeal against it, and the answer."""

    @extend_schema(**documents.APPEAL_SHOWN)
    def get(self, request: Request, event_id: int) -> Response:
        person = person_of(request)
        selectors.public_queue(event_id)
        why = selectors.block_reason(event_id=event_id, person=person)
        last = selectors.last_appeal(event_id=event_id, person=person)
        return Response({"blocked_why": why, "appeal": appeal_body(last) if last else None})

    @extend_schema(**documents.APPEAL)
    def post(self, request: Request, event_id: int) -> Response:
        person = person_of(request)
        selectors.public_queue(event_id)
        appeal = documents.AppealSerializer(data=request.data)
        appeal.is_valid(raise_exception=True)
        message = appeal.validated_data["words"]
        made = services.submit_appeal(
            event_id=event_id, person=person, message=message, now=clock.now()
        )
        return Response(appeal_body(made), status=201)


def person_of(request: Request) -> str:
    caller: Any = request.user
    return caller.require_account()


def appeal_body(appeal: BlockAppeal) -> dict[str, Any]:
    return {
        "state": appeal.state,
        "words": appeal.words,
        "at": appeal.at.isoformat(timespec="milliseconds"),
        "answer": appeal.answer,
    }
