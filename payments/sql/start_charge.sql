-- Start the charge of a fan's own payment if it is ready to pay, and add a timeline row. Returns the
-- payment as it is then, and whether this call started the charge: of two concurrent callers one did.
WITH before AS MATERIALIZED (
    SELECT *
    FROM payments_payment
    WHERE number = %(number)s AND fan_id = %(fan)s::bigint
    FOR NO KEY UPDATE
),
charging AS (
    UPDATE payments_payment AS payment
    SET state = 'charging', payment_token = %(token)s, transaction_id = %(transaction_id)s,
        charging_at = %(now)s, due_at = %(due_at)s
    FROM before
    WHERE payment.id = before.id AND before.state = ANY(%(allowed)s)
    RETURNING payment.*
),
step AS (
    INSERT INTO payments_paymentstep (payment_id, at, before, after, note)
    SELECT charging.id, %(now)s, before.state, charging.state, '' FROM charging, before
),
payment AS (
    SELECT * FROM charging
    UNION ALL
    SELECT * FROM before WHERE NOT EXISTS (SELECT FROM charging)
)
SELECT EXISTS (SELECT FROM charging) AS is_started, {payment}, {reservation}
FROM payment
JOIN reservations_reservation AS reservation ON reservation.id = payment.reservation_id;
