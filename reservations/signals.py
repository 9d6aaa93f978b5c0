"""For whoever wants to push news to people; sent after the commit, by the process that did it."""

from django.dispatch import Signal

# request: HoldRequest, now in another state.
request_moved = Signal()

# Sent inside the transaction instead, so that the mail is written with it or not at all.
# reservation: Reservation, held for somebody on the standby list until its deadline;
# link: the path of the page on which to take it; language: "ko" or "en"; now.
seats_offered = Signal()
