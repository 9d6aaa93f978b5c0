from ticketing.models.events import (
    REHEARSALS_FROM,
    REHEARSALS_UNTIL,
    Event,
    EventChange,
    Grade,
    Organiser,
    is_rehearsal,
)
from ticketing.models.seats import Seat
from ticketing.models.venues import Place, SeatPlan, Section, Venue

__all__ = [
    "REHEARSALS_FROM",
    "REHEARSALS_UNTIL",
    "Event",
    "EventChange",
    "Grade",
    "Organiser",
    "Place",
    "Seat",
    "SeatPlan",
    "Section",
    "Venue",
    "is_rehearsal",
]
