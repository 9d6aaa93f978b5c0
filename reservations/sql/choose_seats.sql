    -- These very seats, locked in one order.
    SELECT id, state, grade_id
    FROM ticketing_seat
    WHERE event_id = %(event)s AND id = ANY(%(seats)s::bigint[])
    ORDER BY id
    FOR NO KEY UPDATE
