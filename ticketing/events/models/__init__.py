from ticketing.events.models.approvals import Approval, TwoPersonRule
from ticketing.events.models.changes import STATE_LABELS, EventChange
from ticketing.events.models.events import (
    FIRST_REHEARSAL_ID,
    LAST_REHEARSAL_ID,
    REHEARSAL_IDS,
    Event,
    Organiser,
)
from ticketing.events.models.grades import Grade
from ticketing.events.models.seats import Seat
from ticketing.events.models.venues import Place, SeatPlan, Section, Venue
