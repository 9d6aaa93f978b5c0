"""What people in a lane are refused."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotAllowed


class LaneNotOpen(DomainError):
    """`opens_at` says when this lane of the line opens; None for a lane of this second."""

    code = "lane_not_open"
    status = 409
    message = _("This lane is not open yet.")
    advice = _("Come back when it opens; trying now gives no advantage.")


class LaneKeyUnknown(NotAllowed):
    code = "lane_key_unknown"
    message = _("This code is not valid for this event.")
    advice = _("Check the spelling, and that you are logged in with the right account.")


class LaneKeyUsed(NotAllowed):
    code = "lane_key_used"
    message = _("Somebody else has used this code.")
    advice = _("Each code is for one person. Ask whoever gave it to you.")


class NotOnLaneList(NotAllowed):
    code = "not_on_lane_list"
    message = _("Your e-mail address is not on the list of this lane.")
    advice = _("Log in with the address that you registered, or join the other line.")


class InAnotherLane(DomainError):
    code = "in_another_lane"
    status = 409
    message = _("You are in another lane of this line already.")
    advice = _("Leave the line first; then you can join this lane. Your code stays yours.")


class NotForLane(NotAllowed):
    """`grades` and `sections` are the codes of what the lane may buy; empty: all."""

    code = "not_for_lane"
    message = _("These seats are not for your lane of the line.")
    advice = _("Choose seats that are.")
