    -- Any free places of a standing section: rows that others have locked are skipped.
    SELECT seat.id, seat.state, seat.grade_id
    FROM ticketing_seat AS seat
    WHERE seat.event_id = %(event)s AND seat.section_id = (
        SELECT section.id
        FROM ticketing_section AS section
        JOIN ticketing_event AS event ON event.plan_id = section.plan_id
        WHERE event.id = %(event)s AND section.code = %(section)s AND section.kind = 'standing'
    )
    AND seat.state = 'available'
    AND (%(grade)s = '' OR seat.grade_id IN (
        SELECT id FROM ticketing_grade WHERE event_id = %(event)s AND code = %(grade)s
    ))
    LIMIT %(quantity)s
    FOR NO KEY UPDATE SKIP LOCKED
