-- Insert a payment for a reservation, and its first timeline row. The caller holds the reservation's
-- lock. If the reservation has an open payment or the key is used, nothing is written or returned.
WITH payment AS (
    INSERT INTO payments_payment
        (number, payment_key, reservation_id, fan_id, amount, currency, state, charged, refunded,
         gateway, payment_token, transaction_id, failure_code, failure_message, language, attempts,
         created_at, due_at)
    VALUES
        (%(number)s, %(payment_key)s, %(reservation)s, %(fan)s, %(amount)s, %(currency)s, 'pending',
         0, 0, 'portone', '', '', '', '', %(language)s, 0, %(now)s, %(due_at)s)
    ON CONFLICT DO NOTHING
    RETURNING *
),
step AS (
    INSERT INTO payments_paymentstep (payment_id, at, before, after, note)
    SELECT id, %(now)s, '', state, '' FROM payment
)
SELECT * FROM payment;
