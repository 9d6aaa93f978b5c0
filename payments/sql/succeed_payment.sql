-- A charge succeeded: lock reservation, payment and seats in this order, and if the reservation is being
-- paid and the payment open, move both, sell the seats, issue the tickets and add the message to the fan.
-- All of it or nothing. Returns the reservation as it is then, and the payment if it moved.
WITH reservation AS MATERIALIZED (
    SELECT *
    FROM reservations_reservation
    WHERE id = (SELECT reservation_id FROM payments_payment WHERE id = %(id)s::bigint)
    FOR NO KEY UPDATE
),
before AS MATERIALIZED (
    SELECT payment.id, payment.state
    FROM payments_payment AS payment
    JOIN reservation ON reservation.id = payment.reservation_id
    WHERE payment.id = %(id)s::bigint
    FOR NO KEY UPDATE OF payment
),
payment AS (
    UPDATE payments_payment AS payment
    SET state = 'succeeded', charged = %(charged)s, transaction_id = %(transaction_id)s,
        settled_at = %(now)s, due_at = NULL, payment_token = ''
    FROM before, reservation
    WHERE payment.id = before.id AND before.state = ANY(%(allowed)s) AND reservation.state = 'paying'
    RETURNING payment.*
),
step AS (
    INSERT INTO payments_paymentstep (payment_id, at, before, after, note)
    SELECT payment.id, %(now)s, before.state, payment.state, '' FROM payment, before
),
sale AS MATERIALIZED (
    SELECT reservation.id, reservation.event_id, reservation.fan_id
    FROM reservation
    JOIN payment ON payment.reservation_id = reservation.id
),
{sale},
message AS (
    INSERT INTO payments_outboxmessage
        (aggregate, sequence, kind, body, state, attempts, created_at, due_at, error)
    SELECT 'reservation:' || reservation.code, nextval('payments_outboxmessage_id_seq'), %(kind)s,
           jsonb_build_object(
               'payment', payment.number, 'reservation', reservation.code,
               'event', reservation.event_id, 'fan', payment.fan_id, 'amount', payment.amount,
               'currency', payment.currency, 'language', payment.language
           ),
           'waiting', 0, %(now)s, %(now)s, ''
    FROM payment, reservation
)
SELECT {payment}, {reservation}, array(SELECT id FROM seat ORDER BY id) AS seats
FROM (
    SELECT * FROM confirmed
    UNION ALL
    SELECT * FROM reservation WHERE NOT EXISTS (SELECT FROM confirmed)
) AS reservation
LEFT JOIN payment ON true;
