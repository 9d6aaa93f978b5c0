"""For whoever wants to push news to people; sent after the commit, by the process that did it."""

from django.dispatch import Signal

# request: HoldRequest, now in another state.
request_moved = Signal()

# Sent inside the transaction instead, so that the mail is written with it or not at all.
# reservation: Reservation, held for somebody on the standby list until its deadline;
# link: the path of the page on which to take it; language: "ko" or "en"; now.
seats_offered = Signal()

# The same, when an offer was not paid for in time: reservation, link, language, now.
offer_missed = Signal()

# The same, when an operator took somebody off the standby list: entry: StandbyEntry, its lock held;
# why; was_offered: whether seats were held for them; link, language, now.
taken_off_standby = Signal()

# The same, of a ticket. kind: TicketOffered, TicketAccepted …; ticket; to: the fan's number, or 0
# and an address; language; now; words: what else there is to say (an offer's code, a name).
ticket_news = Signal()
