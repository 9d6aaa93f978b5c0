from ticketing.events.selectors.approvals import needs_approval
from ticketing.events.selectors.events import (
    all_events,
    events_without_free_seats,
    public_event,
    public_events,
    search_events,
    sold_out_events_with_free_seats,
    upcoming_events,
    visible_event,
)
from ticketing.events.selectors.plans import plan_grades, plan_seat_counts
from ticketing.events.selectors.rehearsals import (
    is_rehearsal,
    new_rehearsal_id,
    require_own_sale,
    without_rehearsals,
)
from ticketing.events.selectors.seat_counts import (
    GradeAvailability,
    GradeSeatCounts,
    SectionAvailability,
    event_seat_counts,
    free_seats_up_to,
    free_seats_up_to_each,
    grade_availability,
    is_sold_out,
    seats_by_grade,
    seats_free,
    section_availability,
    section_seat_counts,
)
from ticketing.events.selectors.seats import (
    SEAT_RANGE_FIELDS,
    seats_in_range,
    seats_version,
    section_seats,
)
