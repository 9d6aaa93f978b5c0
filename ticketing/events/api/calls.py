"""The call of a whole crowd: all seats of an event."""

import gzip
from typing import Any

from django.utils.http import parse_etags

from ticketing.core.fast_path.application import FallThrough
from ticketing.core.fast_path.calls import ApiCall
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import ApiResponse
from ticketing.events.api import documents
from ticketing.events.seat_list.cached import SeatList, aseat_list, seat_list


async def kept_seat_list(event_id: int, *, known: list[str]) -> SeatList:
    """From Redis alone; a list that has to be built is built by the view."""
    kept = await aseat_list(event_id, known=known)
    if kept is None:
        raise FallThrough()
    return kept


def seat_list_arguments(request: ApiRequest) -> dict[str, Any]:
    known = versions_in(request.headers.get("if-none-match", ""))
    return {"event_id": request.path_params["event_id"], "known": known}


def versions_in(if_none_match: str) -> list[str]:
    return [tag.removeprefix("W/").strip('"') for tag in parse_etags(if_none_match)]


def render_seat_list(request: ApiRequest, seats: SeatList) -> ApiResponse:
    """The stored bytes as they are, for everyone who can unpack them."""
    headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if seats.version:
        headers["ETag"] = f'W/"{seats.version}"'
    if seats.body is None:
        return ApiResponse(304, b"", headers)
    if not takes_gzip(request):
        return ApiResponse(200, gzip.decompress(seats.body), headers)
    return ApiResponse(200, seats.body, headers | {"Content-Encoding": "gzip"})


def takes_gzip(request: ApiRequest) -> bool:
    return accepts_gzip(request.headers.get("accept-encoding", ""))


def accepts_gzip(header: str) -> bool:
    """`gzip`, unless with the weight 0, which means no."""
    for offer in header.lower().split(","):
        coding, _, weight = offer.replace(" ", "").partition(";q=")
        if coding in {"gzip", "x-gzip"}:
            return weight.strip("0.") != "" or not weight
    return False


SEATS = ApiCall(
    method="GET",
    path="events/<int:event_id>/seats/",
    document=documents.SEATS,
    falls_through=lambda request: not takes_gzip(request),  # unpacking takes a thread
    arguments=seat_list_arguments,
    service=seat_list,
    aservice=kept_seat_list,
    render=render_seat_list,
)
CALLS = [SEATS]
