-- Number the standing tickets of an event that have no number yet, section by section, after the last
-- number that was ever given there: a returned place does not pass its number on. `{order}` decides
-- who is next. The caller holds the event's lock for entry numbers.
WITH standing AS MATERIALIZED (
    SELECT ticket.id, ticket.state, ticket.code, ticket.created_at, ticket.entry_number, seat.section_id
    FROM reservations_ticket AS ticket
    JOIN ticketing_seat AS seat ON seat.id = ticket.seat_id
    JOIN ticketing_section AS section ON section.id = seat.section_id
    WHERE ticket.event_id = %(event)s::bigint AND section.kind = 'standing'
),
numbered AS (
    SELECT section_id, max(entry_number) AS highest FROM standing GROUP BY section_id
),
given AS (
    SELECT standing.id,
           coalesce(numbered.highest, 0)
           + row_number() OVER (PARTITION BY standing.section_id ORDER BY {order}) AS number
    FROM standing
    JOIN numbered ON numbered.section_id = standing.section_id
    WHERE standing.entry_number IS NULL AND standing.state <> 'void'
)
UPDATE reservations_ticket AS ticket
SET entry_number = given.number
FROM given
WHERE ticket.id = given.id AND ticket.entry_number IS NULL
