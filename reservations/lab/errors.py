"""Why a race cannot run."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError


class NotEnoughConnections(DomainError):
    """Each buyer is a process with its own connection."""

    code = "not_enough_connections"
    message = _(
        "%(buyers)s buyers need %(needed)s database connections, but only %(free)s are free "
        "(max_connections is %(most)s)."
    )
    advice = _("Race fewer buyers, or raise max_connections.")


class RaceBroken(DomainError):
    """`trouble` is the error of the process that failed."""

    code = "race_broken"
    status = 500
    message = _("The race could not be finished: %(trouble)s.")
