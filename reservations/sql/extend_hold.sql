-- Part of a statement: lock a fan's reservation, and decide whether it can be paid and until when.
-- The deadline never exceeds the hold time and the payment time together.
reservation AS MATERIALIZED (
    SELECT *
    FROM reservations_reservation
    WHERE code = %(code)s AND fan_id = %(fan)s::bigint
    FOR NO KEY UPDATE
),
extension AS MATERIALIZED (
    SELECT reservation.id,
           CASE
               WHEN reservation.state = 'paying' THEN 'paying'
               WHEN reservation.state = 'held' AND reservation.deadline <= %(now)s THEN 'expired'
               WHEN event.state = 'cancelled' THEN 'cancelled'
               WHEN reservation.state <> 'held' THEN 'ended'
               ELSE 'extended'
           END AS status,
           greatest(
               reservation.deadline,
               least(%(now)s, reservation.created_at + longest.seconds * interval '1 second')
               + event.payment_seconds * interval '1 second'
           ) AS deadline
    FROM reservation
    JOIN ticketing_event AS event ON event.id = reservation.event_id
    CROSS JOIN LATERAL (
        SELECT CASE
            WHEN EXISTS (
                SELECT FROM reservations_standbyentry AS entry
                WHERE entry.reservation_id = reservation.id
            ) THEN event.offer_seconds
            ELSE event.hold_seconds
        END AS seconds
    ) AS longest
)
