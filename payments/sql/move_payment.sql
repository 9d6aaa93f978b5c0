-- Move a payment to another state if its present state is one of `allowed`, and add a timeline row.
-- `{set}` stands for further columns. Of two concurrent callers the second gets no row.
WITH before AS MATERIALIZED (
    SELECT id, state FROM payments_payment WHERE id = %(id)s::bigint FOR NO KEY UPDATE
),
payment AS (
    UPDATE payments_payment AS payment
    SET state = %(to)s{set}
    FROM before
    WHERE payment.id = before.id AND before.state = ANY(%(allowed)s)
    RETURNING payment.*
),
step AS (
    INSERT INTO payments_paymentstep (payment_id, at, before, after, note, by_id)
    SELECT payment.id, %(now)s, before.state, payment.state, %(note)s, %(by)s::bigint
    FROM payment, before
)
SELECT {payment} FROM payment;
