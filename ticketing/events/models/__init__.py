from ticketing.events.models.events import (
    REHEARSALS_FROM,
    REHEARSALS_UNTIL,
    Event,
    EventChange,
    Grade,
    Organiser,
    is_rehearsal,
)
from ticketing.events.models.seats import Seat
from ticketing.events.models.venues import Place, SeatPlan, Section, Venue
