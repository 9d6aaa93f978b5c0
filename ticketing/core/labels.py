"""Labels that the histories of several apps use."""

from django.utils.translation import ngettext


def seats_label(count: int) -> str:
    return ngettext("%(count)s seat", "%(count)s seats", count) % {"count": f"{count:,}"}
