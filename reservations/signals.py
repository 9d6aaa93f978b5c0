"""For whoever wants to push news to people; sent after the commit, by the process that did it."""

from django.dispatch import Signal

# request: HoldRequest, now in another state.
request_moved = Signal()
