"""The page on which a fan verifies who they are, and the way back from the window."""

import json
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from payments import services
from payments.views.caller import caller_of
from payments.views.fast_routes import LONGEST_ID, VERIFY
from payments.views.payment_window import allow_portone
from ticketing.core import clock
from ticketing.core.redirects import SeeOther
from ticketing.events.models import Event
from ticketing.events.selectors import public_event
from waiting_queue.services import people_asked


@never_cache
@require_safe
def verify(request: HttpRequest) -> HttpResponseBase:
    """Say why and what is kept; the button opens the sandbox's page, or PortOne's window."""
    caller, event = caller_of(request), _event(request)
    number = services.new_verification(user_id=caller.id, now=clock.now())
    query = {"event": event.pk} if event else {}
    back = f"{reverse('payments:verified', args=[number])}?{urlencode(query)}"
    is_asked = event is not None and str(caller.id) in people_asked(event.pk)
    is_verified = caller.birth_year > 0
    context = {"event": event, "is_verified": is_verified and not is_asked, "back": back}
    context["is_again"] = is_verified and is_asked
    context["was_closed"] = "closed" in request.GET
    if settings.PAYMENTS_SANDBOX:
        window = reverse("sandbox:identity", args=[number])
        context["sandbox_url"] = f"{window}?{urlencode({'redirect': back})}"
        return render(request, "payments/verify.html", context)
    context |= {
        "sdk_url": settings.PORTONE_SDK_URL,
        "portone_request": json.dumps(_portone_request(request, number, back)),
    }
    return allow_portone(request, "payments/verify.html", context)


@never_cache
@require_GET
def verified(request: HttpRequest, number: str) -> HttpResponse:
    """Where the window sends the browser. The fast route answers whoever is logged in."""
    fan_id, now = caller_of(request).id, clock.now()
    return SeeOther(VERIFY(request.GET, number=number, fan_id=fan_id, now=now))


def _event(request: HttpRequest) -> Event | None:
    given = request.GET.get("event", "")
    return public_event(int(given)) if given.isdecimal() and len(given) < LONGEST_ID else None


def _portone_request(request: HttpRequest, number: str, back: str) -> dict[str, Any]:
    """The argument of `PortOne.requestIdentityVerification`."""
    return {
        "storeId": settings.PORTONE_STORE_ID,
        "channelKey": settings.PORTONE_IDENTITY_CHANNEL_KEY,
        "identityVerificationId": number,
        "redirectUrl": request.build_absolute_uri(back),
    }
