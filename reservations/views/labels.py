"""Texts that the scripts of the seat map and the door read from the page, and refusal texts.

Scripts contain no texts of their own: they fill in the placeholders.
"""

from datetime import datetime
from typing import Any

from django.utils.timezone import localtime
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
    "grade-left": _("({n} left)"),
    "view-row": _("Row {row} of {rows} from the stage"),
    "view-left": _("left of the stage"),
    "view-middle": _("facing the stage"),
    "view-right": _("right of the stage"),
    "view-from": _("View from {section}"),
    "stage": _("Stage"),
    "chosen-none": _("No seat chosen yet. Tap free seats on the map."),
    "chosen-one": _("1 seat · {total}"),
    "chosen-many": _("{n} seats · {total}"),
    "added": _("{seat} chosen. {sum}."),
    "removed": _("{seat} removed. {sum}."),
    "remove": _("Remove {seat}"),
    "not-free": _("{seat} can’t be chosen: {state}."),
    "enough": _("You can’t choose more than {left} now; the limit is {limit} per person."),
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
    "why-sold": _("{seat} (sold)"),
    "why-held": _("{seat} (held by someone else)"),
    "why-until": _("{seat} (held by someone else; may be free again at {time})"),
    "why-tried": _("{seat} (being chosen by someone else)"),
    "why-unavailable": _("{seat} (not on sale)"),
    "place-first": _("Someone else is choosing this seat. You are next."),
    "place": _("Someone else is choosing this seat. You are number {place} in line for it."),
    "similar-one": _("A similar seat: {grade}, {total}"),
    "similar-many": _("Similar seats: {n} × {grade}, together, {total}"),
    "alone": _("This would leave a single seat: {seats}."),
    "holding": _("Holding …"),
    "failed": _("The server can’t be reached. Your selection is kept on this page; try again."),
    "live": _("Live"),
    "checking": _("Checking every {n} s"),
    "reconnecting": _("Reconnecting …"),
    "too-small": _("Zoomed in. Tap a seat to choose it."),
    "tap-closer": _("Tap again to come closer, then choose seats."),
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
    "early": _("Too early: the doors open much later"),
    "entry-number": _("Entry number {number}"),
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
    if seats := sorted(refusal.details.get("seats", [])):
        reasons = {one["seat"]: one for one in refusal.details.get("taken", [])}
        names = map(_seat_name, selectors.seat_names(seats))
        named = zip(seats, names, strict=False)
        parts.append(", ".join(_with_reason(name, reasons.get(seat)) for seat, name in named) + ".")
    parts.append(str(refusal.advice))
    return " ".join(filter(None, parts))


def _with_reason(name: str, reason: dict[str, Any] | None) -> str:
    """The seat, why it can't be had, and when it may be free again."""
    if reason is None:
        return name
    if not reason["until"]:
        return str(SEAT_MAP_LABELS[f"why-{reason['why']}"]).format(seat=name)
    until = localtime(datetime.fromisoformat(reason["until"]))
    return str(SEAT_MAP_LABELS["why-until"]).format(seat=name, time=f"{until:%H:%M}")


def _seat_name(seat: tuple[Any, str, int]) -> str:
    section, row, number = seat
    return str(SEAT_MAP_LABELS["seat"]).format(section=section.name, row=row, number=number)
