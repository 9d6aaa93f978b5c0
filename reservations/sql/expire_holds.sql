-- End expired holds; their seats are available again, or kept for the standby list. Holds that
-- another transaction has locked are skipped. A reservation is locked before its seats, and seats by
-- primary key.
WITH due AS MATERIALIZED (
    SELECT id, event_id, random() AS delay
    FROM reservations_reservation
    WHERE state = 'held' AND deadline <= %(now)s AND {filter}
    ORDER BY deadline
    LIMIT %(batch)s
    FOR NO KEY UPDATE SKIP LOCKED
),
keeping AS MATERIALIZED (
{events_keeping_returns}
),
freed AS MATERIALIZED (
    SELECT seat.id, seat.event_id
    FROM ticketing_seat AS seat
    WHERE seat.id IN (
        SELECT seat_id
        FROM reservations_reservedseat
        WHERE live AND reservation_id IN (SELECT id FROM due)
    )
    ORDER BY seat.id
    FOR NO KEY UPDATE
),
kept AS (
    INSERT INTO reservations_returnedseat (seat_id, event_id, returned_at, back_at)
    SELECT freed.id, keeping.id, %(now)s,
           %(now)s + due.delay * keeping.returns_minutes * interval '1 minute'
    FROM freed
    JOIN keeping ON keeping.id = freed.event_id
    JOIN reservations_reservedseat AS reserved ON reserved.seat_id = freed.id AND reserved.live
    JOIN due ON due.id = reserved.reservation_id
    ON CONFLICT (seat_id) DO NOTHING
),
available AS (
    UPDATE ticketing_seat
    SET state = 'available'
    WHERE id IN (SELECT id FROM freed WHERE event_id NOT IN (SELECT id FROM keeping))
),
ended AS (
    UPDATE reservations_reservation
    SET state = 'expired', ended_at = %(now)s
    WHERE id IN (SELECT id FROM due)
    RETURNING id, event_id, fan_id
)
SELECT ended.id, ended.event_id, ended.fan_id,
       ended.event_id IN (SELECT id FROM keeping) AS kept,
       array(
           SELECT seat_id
           FROM reservations_reservedseat
           WHERE reservation_id = ended.id
           ORDER BY seat_id
       ) AS seats
FROM ended
ORDER BY ended.id;
