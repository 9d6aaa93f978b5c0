-- Return the locked seats of an ended reservation: available again, or kept for the standby list.
WITH keeping AS MATERIALIZED (
{events_keeping_returns}
),
kept AS (
    INSERT INTO reservations_returnedseat (seat_id, event_id, returned_at, back_at)
    SELECT seat, keeping.id, %(now)s,
           %(now)s + %(delay)s * keeping.returns_minutes * interval '1 minute'
    FROM keeping, unnest(%(seats)s::bigint[]) AS seat
    ON CONFLICT (seat_id) DO NOTHING
),
moved AS (
    UPDATE ticketing_seat
    SET state = CASE WHEN EXISTS (SELECT FROM keeping) THEN 'held' ELSE 'available' END
    WHERE id = ANY(%(seats)s::bigint[])
)
SELECT EXISTS (SELECT FROM keeping) AS kept;
