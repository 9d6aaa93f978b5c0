"""What can be so about rehearsals."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotFound


class NoRehearsal(NotFound):
    code = "no_rehearsal"
    message = _("There is no such rehearsal.")


class NothingToRehearse(NotFound):
    code = "nothing_to_rehearse"
    message = _("No sale with a queue and seats is coming up.")
    advice = _("Name the event that is to be rehearsed.")


class AnotherRehearsal(DomainError):
    """Two at once would measure each other."""

    code = "another_rehearsal"
    status = 409
    message = _("Another rehearsal is under way: %(code)s.")
    advice = _("Wait until it is over, or stop it.")


class RehearsalOver(DomainError):
    code = "rehearsal_over"
    status = 409
    message = _("This rehearsal is over.")


class RehearsalOfRehearsal(DomainError):
    code = "rehearsal_of_rehearsal"
    status = 409
    message = _("A rehearsal can't be rehearsed.")


class NoSandbox(DomainError):
    code = "no_sandbox"
    status = 409
    message = _("This site charges real cards: the gateway's weather is not ours to make.")
