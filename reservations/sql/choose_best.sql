    -- The given number of free seats side by side, nearest to the middle of the stage. Where the
    -- event forbids orphans, choices that leave no single seat come first. Choices are tried from
    -- the best on, and rows that others have locked are skipped: nobody waits for anybody.
    WITH near AS MATERIALIZED (
        SELECT seat.id, seat.place_id, seat.section_id, seat.distance
        FROM ticketing_seat AS seat
        WHERE seat.event_id = %(event)s AND seat.state = 'available'
        AND seat.grade_id = (
            SELECT id FROM ticketing_grade WHERE event_id = %(event)s AND code = %(grade)s
        )
        ORDER BY seat.distance
        LIMIT %(near)s
    ),
    free AS (
        SELECT near.*, place.row, place.x, place.y, place.accessible,
               coalesce(
                   power(place.x - lag(place.x) OVER along, 2)
                   + power(place.y - lag(place.y) OVER along, 2) > power(%(neighbour_distance)s, 2),
                   true
               ) AS starts
        FROM near
        JOIN ticketing_place AS place ON place.id = near.place_id
        JOIN ticketing_section AS section ON section.id = near.section_id
        WHERE section.kind = 'seated'
        AND (place.accessible OR place.companion) = %(accessible)s
        WINDOW along AS (PARTITION BY near.section_id, place.row ORDER BY place.x, place.y)
    ),
    runs AS (
        SELECT *, sum(starts::int) OVER (PARTITION BY section_id, row ORDER BY x, y) AS run
        FROM free
    ),
    choices AS (
        SELECT array_agg(id) OVER next AS seats,
               bool_or(accessible) OVER next AS accessible,
               avg(distance) OVER next AS distance,
               row_number() OVER along - 1 AS before,
               count(*) OVER (PARTITION BY section_id, row, run)
                   - row_number() OVER along + 1 - %(quantity)s AS after
        FROM runs
        WINDOW along AS (PARTITION BY section_id, row, run ORDER BY x, y),
               next AS (along ROWS BETWEEN CURRENT ROW AND %(quantity)s - 1 FOLLOWING)
    ),
    best AS (
        SELECT seats
        FROM choices
        JOIN ticketing_event AS event ON event.id = %(event)s
        WHERE after >= 0 AND accessible = %(accessible)s
        ORDER BY event.no_orphans AND (before = 1 OR after = 1), distance, before = 1 OR after = 1
        LIMIT %(max_choices)s
    )
    SELECT seat.id, seat.state, seat.grade_id
    FROM best
    CROSS JOIN LATERAL (
        SELECT array_agg(id) AS ids
        FROM (
            SELECT id
            FROM ticketing_seat
            WHERE id = ANY(best.seats) AND state = 'available'
            ORDER BY id
            FOR NO KEY UPDATE SKIP LOCKED
        ) AS locked
    ) AS got
    JOIN ticketing_seat AS seat ON seat.id = ANY(got.ids)
    WHERE cardinality(got.ids) = %(quantity)s
    LIMIT %(quantity)s
