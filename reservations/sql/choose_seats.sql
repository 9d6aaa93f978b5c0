    -- The named seats, locked by primary key so that nobody deadlocks.
    SELECT id, state, grade_id
    FROM ticketing_seat
    WHERE event_id = %(event)s AND id = ANY(%(seats)s::bigint[])
    ORDER BY id
    FOR NO KEY UPDATE
