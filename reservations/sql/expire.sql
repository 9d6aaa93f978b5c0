-- Holds that ran out end, and their seats are free again. Whoever is being worked on by another is
-- left to them. A reservation is locked before its seats, and those in one order.
WITH due AS MATERIALIZED (
    SELECT id
    FROM reservations_reservation
    WHERE state = 'held' AND deadline <= %(now)s AND {which}
    ORDER BY deadline
    LIMIT %(batch)s
    FOR NO KEY UPDATE SKIP LOCKED
),
freed AS MATERIALIZED (
    SELECT seat.id
    FROM ticketing_seat AS seat
    WHERE seat.id IN (
        SELECT seat_id
        FROM reservations_reservedseat
        WHERE live AND reservation_id IN (SELECT id FROM due)
    )
    ORDER BY seat.id
    FOR NO KEY UPDATE
),
available AS (
    UPDATE ticketing_seat SET state = 'available' WHERE id IN (SELECT id FROM freed)
),
ended AS (
    UPDATE reservations_reservation
    SET state = 'expired', ended_at = %(now)s
    WHERE id IN (SELECT id FROM due)
    RETURNING id, event_id, fan_id
)
SELECT ended.id, ended.event_id, ended.fan_id,
       array(
           SELECT seat_id
           FROM reservations_reservedseat
           WHERE reservation_id = ended.id
           ORDER BY seat_id
       ) AS seats
FROM ended
ORDER BY ended.id;
