"""The actions of operators on one person in a line, as their pages offer them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from waiting_queue.services.bypasses import add_bypass, end_bypass
from waiting_queue.services.demotions import demote, undo_demotion
from waiting_queue.services.people import block, kick, unblock
from waiting_queue.services.verification_requests import ask_to_verify, withdraw_request


@dataclass(frozen=True)
class PersonAction:
    """A button next to a person: its service, the message to the operator, what they must enter."""

    service: Callable[..., Any]
    consequence: Any
    needs_reason: bool = False
    is_dangerous: bool = False


PERSON_ACTIONS = {
    "kick": PersonAction(
        kick,
        gettext_lazy("They lose their place and may join again, behind everybody."),
        is_dangerous=True,
    ),
    "block": PersonAction(
        block,
        gettext_lazy("They lose their place and can't join again. They read your reason."),
        needs_reason=True,
        is_dangerous=True,
    ),
    "unblock": PersonAction(unblock, gettext_lazy("They may join again, behind everybody.")),
    "demote": PersonAction(
        demote,
        gettext_lazy(
            "They get a new number at the end of the line. They read your reason and may appeal."
        ),
        needs_reason=True,
        is_dangerous=True,
    ),
    "ask": PersonAction(
        ask_to_verify,
        gettext_lazy("They keep their place, and verify who they are before they hold seats."),
        needs_reason=True,
    ),
    "unask": PersonAction(withdraw_request, gettext_lazy("They need not verify any more.")),
    "restore": PersonAction(undo_demotion, gettext_lazy("They get their old number back.")),
    "bypass": PersonAction(
        add_bypass,
        gettext_lazy("They enter without waiting, now or whenever they join."),
        needs_reason=True,
    ),
    "end_bypass": PersonAction(end_bypass, gettext_lazy("They wait like everybody else.")),
}
