-- Open the window of a registered payment, or again of one that is open. No row if there is anything
-- else to decide: another amount, a planned behaviour, a payment in another state.
WITH payment AS MATERIALIZED (
    SELECT * FROM payments_sandbox_payment
    WHERE payment_id = %(payment_id)s::text AND behaviour = 'succeed'
      AND seconds = %(seconds)s::float8
      AND (state = 'READY' OR state = 'REGISTERED' AND NOT EXISTS (SELECT FROM payments_sandbox_plan))
      AND amount = coalesce(%(amount)s::bigint, amount)
      AND currency = coalesce(%(currency)s::text, currency)
    FOR UPDATE
),
opened AS (
    UPDATE payments_sandbox_payment AS opened
    SET state = 'READY', transaction_id = %(transaction_id)s::text,
        order_name = coalesce(nullif(%(name)s::text, ''), opened.payment_id),
        channel_key = %(channel_key)s::text, origin = %(origin)s::text,
        address = %(address)s::inet, opened_at = %(now)s::timestamptz,
        changed_at = %(now)s::timestamptz
    FROM payment WHERE opened.id = payment.id AND payment.state = 'REGISTERED'
    RETURNING opened.*
),
webhook AS (
    INSERT INTO payments_sandbox_webhook (
        payment_id, webhook_id, kind, payment_state, url, body, made_at, sendings, is_lost
    )
    SELECT
        id, %(webhook_id)s::text, %(kind)s::text, 'READY', %(url)s::text, %(webhook_body)s::text,
        %(now)s::timestamptz, 0, false
    FROM opened
    RETURNING *
)
SELECT
    coalesce(opened.order_name, payment.order_name) AS order_name, payment.amount, payment.currency,
    webhook.*
FROM payment LEFT JOIN opened ON true LEFT JOIN webhook ON true;
