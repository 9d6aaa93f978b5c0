"""Texts that the scripts of the seat map and the door read from the page, and refusal texts.

Scripts contain no texts of their own: they fill in the placeholders.
"""

from typing import Any

from django.utils.translation import gettext_lazy as _

from reservations import errors, selectors
from ticketing.core.errors import DomainError, NotLoggedIn, Unavailable
from waiting_queue import errors as queue

REFUSALS: tuple[type[DomainError], ...] = (
    *(errors.SeatsTaken, errors.SeatsBusy, errors.SoldOut, errors.NotOnSale, errors.TooManySeats),
    *(errors.LeavesOrphan, errors.CompanionAlone, errors.SeatsOfAnotherEvent),
    *(queue.NotAdmitted, queue.QueueNotOpen, queue.QueueUnavailable),
    *(NotLoggedIn, Unavailable),
)
SEAT_MAP_LABELS: dict[str, Any] = {
    "seat": _("{section}, row {row}, seat {number}"),
    "seat-whole": _("{seat}: {grade}, {price}, {state}"),
    "state-a": _("free"),
    "state-h": _("held by someone else"),
    "state-s": _("sold"),
    "state-b": _("not on sale"),
    "state-own": _("yours"),
    "state-chosen": _("chosen"),
    "wheelchair": _("wheelchair space"),
    "companion": _("companion seat"),
    "section": _("{name}: {left} of {total} available"),
    "stage": _("Stage"),
    "chosen-none": _("No seat chosen yet. Tap free seats on the map."),
    "chosen-one": _("1 seat · {total}"),
    "chosen-many": _("{n} seats · {total}"),
    "added": _("{seat} chosen. {sum}."),
    "removed": _("{seat} removed. {sum}."),
    "remove": _("Remove {seat}"),
    "not-free": _("{seat} can’t be chosen: {state}."),
    "enough": _("You can choose up to {left} more; the limit is {limit} per person."),
    "enough-none": _(
        "The limit is {limit} seats per person for this event, and you have reached it."
    ),
    "only-looking": _("You can look around, but not choose seats yet."),
    "gone": _("No longer available"),
    "gone-spoken": _(
        "Someone else took {seat}. It was removed from your selection; the others stay selected."
    ),
    "taken": _(
        "Someone else was faster: {seats}. Removed from your selection; the others stay selected."
    ),
    "alone": _("This would leave a single seat: {seats}."),
    "holding": _("Holding …"),
    "failed": _("The server can’t be reached. Your selection is kept on this page; try again."),
    "live": _("Live"),
    "checking": _("Checking every {n} s"),
    "reconnecting": _("Reconnecting …"),
    "too-small": _("Zoomed in. Tap a seat to choose it."),
} | {f"advice-{kind.code}": kind.advice for kind in REFUSALS if kind.advice}

DOOR_LABELS: dict[str, Any] = {
    "online": _("Online"),
    "offline": _("No network: codes are checked here"),
    "waiting-one": _("1 check-in waits for the network"),
    "waiting-many": _("{n} check-ins wait for the network"),
    "valid-offline": _("Valid, checked without network"),
    "used-here": _("Already used here at {when}"),
    "wrong-event": _("For another event"),
    "expired": _("Cancelled: its time is over"),
    "unknown": _("Not a ticket"),
    "unsure": _("Can’t be checked without network"),
    "unsure-advice": _("Scan the QR code, or try again when there is a network."),
    "undone": _("Undone: not inside"),
    "undo-failed": _("It could not be undone."),
    "not-allowed": _("You are logged out, or may not check tickets in. Log in again."),
    "camera-none": _("This device has no camera that can be used here. Type the code."),
    "camera-denied": _("The camera is not allowed. Allow it for this page, or type the code."),
    "camera-on": _("Hold the QR code in front of the camera."),
    "inside": _("{inside} of {expected} checked in"),
    "conflict": _("Let in without network, but: {what}"),
}


def grade_abbreviations(codes: list[str]) -> list[str]:
    """The shortest unique prefix of each grade's code, to write on its seats."""
    lengths = range(1, max(map(len, codes), default=1) + 1)
    return [
        next((code[:n] for n in lengths if [one[:n] for one in codes].count(code[:n]) == 1), code)
        for code in codes
    ]


def refusal_text(refusal: DomainError) -> str:
    """The refusal's message, its seats, and its advice."""
    parts = [str(refusal)]
    if seats := refusal.details.get("seats"):
        parts.append(", ".join(map(_seat_name, selectors.seat_names(seats))) + ".")
    parts.append(str(refusal.advice))
    return " ".join(filter(None, parts))


def _seat_name(seat: tuple[Any, str, int]) -> str:
    section, row, number = seat
    return str(SEAT_MAP_LABELS["seat"]).format(section=section.name, row=row, number=number)
