"""What operators are refused."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotFound


class EventNotAnnounced(DomainError):
    code = "event_not_announced"
    status = 409
    message = _("Nobody can see this event yet.")
    advice = _("Announce the event first.")


class QueueExists(DomainError):
    code = "queue_exists"
    status = 409
    message = _("This event already has a queue.")


class QueueNotBegun(DomainError):
    code = "queue_not_begun"
    status = 409
    message = _("This queue has not started or is over: nobody is in it.")


class LineIsClosing(DomainError):
    code = "line_is_closing"
    status = 409
    message = _("The line is still being closed.")
    advice = _("Try again in a few seconds.")


class SaleHasBegun(DomainError):
    code = "sale_has_begun"
    status = 409
    message = _("The sale has begun and can’t be reset.")
    advice = _("Close it instead; it can be opened again.")


class PublicValueNotAnnounced(DomainError):
    code = "public_value_not_announced"
    status = 409
    message = _("No public value was announced for this draw.")
    advice = _("Announce first which value will be used.")


class PublicValueFixed(DomainError):
    code = "public_value_fixed"
    status = 409
    message = _("The public value has been entered and can’t be changed.")


class PublicValueTooLate(DomainError):
    code = "public_value_too_late"
    status = 409
    message = _("It is too late for this.")
    advice = _(
        "A public value is announced before the lobby opens, and entered before the queue opens."
    )


class LaneInUse(DomainError):
    code = "lane_in_use"
    status = 409
    message = _("This lane can’t be deleted any more: the line has started.")
    advice = _("Give it no more keys instead.")


class PersonUnknown(NotFound):
    code = "person_unknown"
    message = _("Nobody here has this e-mail address.")
    advice = _("Check the spelling; it is the address that they log in with.")


class NumberUnknown(NotFound):
    code = "number_unknown"
    message = _("Nobody has this number in this line.")
    advice = _("Enter the number from their page, or their e-mail address.")


class PersonNotInLine(DomainError):
    code = "person_not_in_line"
    status = 409
    message = _("This person is not in the line.")
    advice = _("They may have left, or their time ran out, a moment ago.")


class PersonNotBlocked(DomainError):
    code = "person_not_blocked"
    status = 409
    message = _("This person is not blocked.")


class PersonNotDemoted(DomainError):
    code = "person_not_demoted"
    status = 409
    message = _("This person was not moved to the end of the line.")


class PersonNotAsked(DomainError):
    code = "person_not_asked"
    status = 409
    message = _("Nobody has asked this person to verify.")


class BypassesAlready(DomainError):
    code = "bypasses_already"
    status = 409
    message = _("This person is on the list already.")


class BypassListFull(DomainError):
    code = "bypass_list_full"
    status = 409
    message = _("The list has %(most)s people, and no room for more.")
    advice = _("End those who are not needed any more.")


class NoBypass(DomainError):
    code = "no_bypass"
    status = 409
    message = _("This person is not on the list.")


class NobodyToMove(DomainError):
    code = "nobody_to_move"
    status = 409
    message = _("Nobody of this group is waiting in line.")
