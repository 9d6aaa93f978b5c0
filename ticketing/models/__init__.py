from ticketing.models.events import Event, EventChange, Grade, Organiser
from ticketing.models.seats import Seat
from ticketing.models.venues import Place, SeatPlan, Section, Venue

__all__ = [
    "Event",
    "EventChange",
    "Grade",
    "Organiser",
    "Place",
    "Seat",
    "SeatPlan",
    "Section",
    "Venue",
]
