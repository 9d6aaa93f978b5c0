"""The endpoint for the gateway's webhooks."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from payments import services
from ticketing.core import clock


@csrf_exempt
@require_POST
def portone_webhook(request: HttpRequest) -> HttpResponse:
    """Authenticated by its signature. Answered at once; a worker settles the payment."""
    services.receive_webhook(body=request.body, headers=request.headers, now=clock.now())
    return HttpResponse(status=200)
