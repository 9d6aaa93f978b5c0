-- Begin the payment of a fan's reservation, or find the one that this key began or that is open: lock the
-- reservation, decide and write. From then on the hold can't expire. If the key or the reservation is
-- taken by a payment that this statement's snapshot does not show yet, nothing is written and no payment
-- returned: the caller repeats it.
WITH
{extend_hold},
known AS (
    SELECT * FROM payments_payment WHERE payment_key = %(payment_key)s
),
-- Locked, because the snapshot may be older than the reservation's lock and show one that has ended.
open AS MATERIALIZED (
    SELECT *
    FROM payments_payment
    WHERE reservation_id = (SELECT id FROM reservation)
    AND state IN ('pending', 'prepared', 'charging') AND NOT EXISTS (SELECT FROM known)
    FOR NO KEY UPDATE
),
begun AS (
    INSERT INTO payments_payment
        (number, payment_key, reservation_id, fan_id, amount, currency, state, charged, refunded,
         gateway, payment_token, transaction_id, failure_code, failure_message, language, attempts,
         created_at, due_at)
    SELECT %(number)s, %(payment_key)s, reservation.id, reservation.fan_id, reservation.total,
           reservation.currency, 'pending', 0, 0, 'portone', '', '', '', '', %(language)s, 0, %(now)s,
           CASE extension.status WHEN 'paying' THEN reservation.deadline ELSE extension.deadline END
    FROM reservation, extension
    WHERE extension.status IN ('extended', 'paying')
    AND (%(takes_rehearsals)s OR reservation.event_id < %(first_rehearsal)s::bigint)
    AND NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM open)
    ON CONFLICT DO NOTHING
    RETURNING *
),
step AS (
    INSERT INTO payments_paymentstep (payment_id, at, before, after, note)
    SELECT id, %(now)s, '', state, '' FROM begun
),
extended AS (
    UPDATE reservations_reservation AS reservation
    SET state = 'paying', deadline = extension.deadline
    FROM extension, begun
    WHERE reservation.id = extension.id AND extension.status = 'extended'
    RETURNING reservation.*
),
payment AS (
    SELECT * FROM begun UNION ALL SELECT * FROM known UNION ALL SELECT * FROM open
)
SELECT extension.status, {payment}, {reservation}, event.id AS "event.id",
       event.title_ko AS "event.title_ko", event.title_en AS "event.title_en",
       array(
           SELECT seat_id
           FROM reservations_reservedseat
           WHERE reservation_id = reservation.id AND EXISTS (SELECT FROM extended)
           ORDER BY seat_id
       ) AS extended_seats
FROM extension
CROSS JOIN (
    SELECT * FROM extended
    UNION ALL
    SELECT * FROM reservation WHERE NOT EXISTS (SELECT FROM extended)
) AS reservation
JOIN ticketing_event AS event ON event.id = reservation.event_id
LEFT JOIN payment ON true;
