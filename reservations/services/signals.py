"""Signals that other apps receive.

They are sent inside the transaction, so that the mail is stored with the change or not at all.
"""

from django.dispatch import Signal

# Seats were offered to somebody on the standby list. reservation: Reservation, held until its
# deadline; link: path of the page on which to accept; language: "ko" or "en"; now.
seats_offered = Signal()

# An offer was not paid for in time: reservation, link, language, now.
offer_missed = Signal()

# An operator removed somebody from the standby list. entry: StandbyEntry, locked; why; was_offered:
# whether seats were held for them; link, language, now.
removed_from_standby = Signal()

# A ticket changed. kind: TicketOffered, TicketAccepted …; ticket; to: the fan's id, or 0 and an
# email; language; now; details: further fields of the mail (an offer's code, a name).
ticket_notification = Signal()
