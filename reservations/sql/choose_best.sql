-- The given number of free seats side by side, nearest to the middle of the stage. Where the event
-- forbids orphans, seats that leave one are given only if all others do, too. Choices are tried from
-- the best on, and rows that others have locked are skipped: nobody waits for anybody. The nearest
-- seats are considered first, all of them only if nothing fits.
-- Returns the locked seats in order; an empty array if others have locked what there is; nothing if
-- nothing fits.
CREATE OR REPLACE FUNCTION choose_best(
    event bigint, quantity integer, grade text, accessible boolean, near integer
)
RETURNS bigint[]
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    neighbour_distance CONSTANT integer := 30;
    no_orphans boolean := (
        SELECT no_orphans FROM ticketing_event WHERE id = choose_best.event
    );
    its_grade bigint := (
        SELECT id FROM ticketing_grade
        WHERE event_id = choose_best.event AND code = choose_best.grade
    );
    most integer;
    choice bigint[];
    locked bigint[];
    busy bigint[] := '{}';
BEGIN
    FOREACH most IN ARRAY ARRAY[near, 10 * near, NULL] LOOP
        FOR choice IN
            WITH near AS MATERIALIZED (
                SELECT seat.id, seat.place_id, seat.distance
                FROM ticketing_seat AS seat
                WHERE seat.event_id = choose_best.event AND seat.grade_id = its_grade
                AND seat.state = 'available' AND (
                    SELECT section.kind = 'seated'
                        AND (place.accessible OR place.companion) = choose_best.accessible
                    FROM ticketing_place AS place
                    JOIN ticketing_section AS section ON section.id = place.section_id
                    WHERE place.id = seat.place_id
                )
                ORDER BY seat.distance
                LIMIT most
            ),
            row_seats AS (
                SELECT near.id, near.distance, place.section_id, place.row, place.x, place.y,
                       place.accessible, true AS is_free, true AS is_near
                FROM near
                JOIN ticketing_place AS place ON place.id = near.place_id
                WHERE NOT no_orphans
                UNION ALL -- orphans are seats of any grade, near or not
                SELECT seat.id, seat.distance, place.section_id, place.row, place.x, place.y,
                       place.accessible, seat.state = 'available', near.id IS NOT NULL
                FROM (
                    SELECT DISTINCT place.section_id, place.row
                    FROM near
                    JOIN ticketing_place AS place ON place.id = near.place_id
                ) AS line
                JOIN ticketing_place AS place
                    ON place.section_id = line.section_id AND place.row = line.row
                JOIN ticketing_seat AS seat
                    ON seat.event_id = choose_best.event AND seat.place_id = place.id
                LEFT JOIN near ON near.id = seat.id
                WHERE no_orphans
            ),
            steps AS (
                SELECT *, coalesce(
                    is_free AND lag(is_free) OVER along
                    AND (x - lag(x) OVER along) ^ 2 + (y - lag(y) OVER along) ^ 2
                        <= neighbour_distance ^ 2,
                    false
                ) AS is_next
                FROM row_seats
                WINDOW along AS (PARTITION BY section_id, row ORDER BY x, y)
            ),
            stretches AS ( -- free seats side by side; a taken seat or an aisle ends a stretch
                SELECT *, count(*) FILTER (WHERE NOT is_next)
                    OVER (PARTITION BY section_id, row ORDER BY x, y) AS stretch
                FROM steps
            ),
            placed AS (
                SELECT *, row_number() OVER along AS position, count(*) OVER whole AS size
                FROM stretches
                WINDOW whole AS (PARTITION BY section_id, row, stretch),
                       along AS (PARTITION BY section_id, row, stretch ORDER BY x, y)
            ),
            runs AS (
                SELECT *, position - row_number() OVER along AS run
                FROM placed
                WHERE is_near
                WINDOW along AS (PARTITION BY section_id, row, stretch ORDER BY position)
            ),
            choices AS (
                SELECT array_agg(id) OVER next AS seats, sum(distance) OVER next AS distance,
                       bool_or(accessible) OVER next AS accessible,
                       position - 1 AS before, size - position + 1 - choose_best.quantity AS after
                FROM runs
                WINDOW next AS (
                    PARTITION BY section_id, row, stretch, run ORDER BY position
                    ROWS BETWEEN CURRENT ROW AND choose_best.quantity - 1 FOLLOWING
                )
            )
            SELECT seats
            FROM (
                SELECT *, no_orphans AND (before = 1 OR after = 1) AS leaves_single,
                    -- A single seat that is all that is left of a stretch is allowed.
                    no_orphans AND (before = 1 OR after = 1) AND before + after > 1 AS leaves_orphan
                FROM choices
            ) AS judged
            WHERE cardinality(seats) = choose_best.quantity
            AND accessible = choose_best.accessible
            AND (most IS NULL OR NOT leaves_orphan)
            ORDER BY leaves_orphan, leaves_single, distance, before = 1 OR after = 1
        LOOP
            CONTINUE WHEN choice && busy;
            SELECT coalesce(array_agg(id), '{}') INTO locked
            FROM (
                SELECT id
                FROM ticketing_seat
                WHERE id = ANY(choice) AND state = 'available'
                ORDER BY id
                FOR NO KEY UPDATE SKIP LOCKED
            ) AS free;
            IF cardinality(locked) = choose_best.quantity THEN
                RETURN locked;
            END IF;
            busy := busy || array(SELECT unnest(choice) EXCEPT SELECT unnest(locked));
        END LOOP;
        EXIT WHEN most IS NULL;
    END LOOP;
    RETURN CASE WHEN busy <> '{}' THEN busy[:0] END;
END
$$;
