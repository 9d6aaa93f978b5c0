"""The pages of a party: invite companions, and join somebody's place with a code."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from ticketing.core import clock
from ticketing.core.redirects import SeeOther
from waiting_queue import errors, selectors, services
from waiting_queue.views.labels import exact_duration_label
from waiting_queue.views.lines import (
    GET_OR_POST,
    newcomer_of,
    page_context,
    render_challenge,
    require_caller,
)
from waiting_queue.views.page_state import PageState
from waiting_queue.views.page_state_lookup import page_state_for


@never_cache
@require_http_methods(GET_OR_POST)
def party(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the party and its code; a POST asks for a code, `?code=` leads to that party."""
    queue, caller, now = selectors.public_queue(pk), require_caller(request), clock.now()
    if request.method == "POST":
        services.invite(event_id=pk, person=str(caller.id), now=now)
        return SeeOther(resolve_url("queue:party", pk))
    if code := services.clean_code(request.GET.get("code", "")):
        return SeeOther(resolve_url("queue:join_party", pk, code))
    page_state = page_state_for(queue, caller, now)
    return render(request, "queue/party.html", _party_context(request, page_state, str(caller.id)))


@never_cache
@require_http_methods(GET_OR_POST)
def join_party(request: HttpRequest, pk: int, code: str) -> HttpResponse:
    """Say what joining means; a POST joins."""
    queue, caller, now = selectors.public_queue(pk), require_caller(request), clock.now()
    if request.method == "POST":
        who: Any = {"event_id": pk, "person": str(caller.id), "now": now, "known": caller}
        try:
            services.join_party(**who, code=code, newcomer=newcomer_of(request, caller))
        except errors.ChallengeRequired as refusal:
            return render_challenge(request, pk, refusal)
        return SeeOther(resolve_url("queue:line", pk))
    context = page_context(page_state_for(queue, caller, now))
    return render(request, "queue/join_party.html", context | {"code": code})


def _party_context(request: HttpRequest, page_state: PageState, person: str) -> dict[str, Any]:
    party = (page_state.standing or {}).get("party")
    context = page_context(page_state) | {
        "people": party["people"] if party else 1,
        "is_companion": bool(party and not party["leads"]),
        "is_called": bool(party and party["people"] is None),
    }
    invitation = selectors.own_invitation(page_state.queue.pk, person)
    if invitation is None:
        return context
    path = resolve_url("queue:join_party", page_state.queue.pk, invitation.code)
    return context | {
        "invitation": invitation,
        "code": f"{invitation.code[:5]} {invitation.code[5:]}",
        "link": request.build_absolute_uri(path),
        "left": exact_duration_label(invitation.left_ms // 1000),
    }
