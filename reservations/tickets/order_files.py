"""What goes with the mail about an order: its tickets to print, and an entry for the calendar."""

from datetime import datetime

from reservations.tickets.calendar_file import calendar_file
from reservations.tickets.selectors import tickets_of_order

CALENDAR = "text/calendar"
File = tuple[str, bytes, str]


def order_files(*, code: str, fan_id: int, host: str, address: str, now: datetime) -> list[File]:
    """None once they are void: a mail that is late must not bring what lets nobody in."""
    from reservations.tickets.pdf import tickets_pdf  # what draws takes a second to load

    tickets = tickets_of_order(code=code, fan_id=fan_id)
    if not tickets:
        return []
    entry = calendar_file(tickets[0], host=host, address=address, now=now)
    return [
        (f"tickets-{code}.pdf", tickets_pdf(tickets), "application/pdf"),
        (f"tickets-{code}.ics", entry.encode(), CALENDAR),
    ]
