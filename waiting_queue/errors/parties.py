"""What people who wait together are refused."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotAllowed, NotFound


class NoParties(DomainError):
    code = "no_parties"
    status = 409
    message = _("In this line everyone waits alone.")


class NoInvitation(NotFound):
    code = "no_invitation"
    message = _("This code is wrong, or can’t be used any more.")
    advice = _("Ask the person who sent it for a new one.")


class NotLeader(DomainError):
    code = "not_leader"
    status = 409
    message = _("Only the person whose place it is can invite others.")


class PartyFull(DomainError):
    code = "party_full"
    status = 409
    message = _("This party has as many people as allowed.")


class PartyNeedsKey(NotAllowed):
    code = "party_needs_key"
    message = _("This party waits in a lane for which everyone needs a key of their own.")
    advice = _("Join this lane with your own code first, then the party.")


class TooLateForParty(DomainError):
    code = "too_late_for_party"
    status = 409
    message = _("It is your turn already: it is too late for a party.")


class DemotedAlone(NotAllowed):
    code = "demoted_alone"
    message = _("You were moved to the end of the line, and can’t join the party of others.")
    advice = _("If this is a mistake, write to the organiser.")
