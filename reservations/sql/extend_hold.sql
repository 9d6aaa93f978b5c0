-- Part of a statement: lock a fan's reservation, and decide whether it can be paid and until when.
-- A hold is extended once: whoever tries to pay again does so within the time of the first try.
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
               WHEN blocked.is_so THEN 'blocked'
               ELSE 'extended'
           END AS status,
           CASE
               WHEN reservation.deadline > reservation.created_at + longest.seconds * interval '1 second'
                   THEN reservation.deadline
               ELSE greatest(
                   reservation.deadline,
                   least(%(now)s, reservation.created_at + longest.seconds * interval '1 second')
                   + event.payment_seconds * interval '1 second'
               )
           END AS deadline
    FROM reservation
    JOIN ticketing_event AS event ON event.id = reservation.event_id
    LEFT JOIN LATERAL ( -- by the last word of the queue's audit log, which Redis only repeats
        SELECT change.after = 'blocked' AS is_so
        FROM queue_queuechange AS change
        WHERE change.queue_id = reservation.event_id
        AND change.what = 'person ' || reservation.fan_id AND change.after IN ('blocked', 'unblocked')
        ORDER BY change.id DESC
        LIMIT 1
    ) AS blocked ON true
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
