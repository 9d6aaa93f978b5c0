-- The first registration of a payment, and its answer by the idempotency key. No row if there is
-- anything else to decide: a fault is injected, or the payment is known. Another one with the same
-- key or payment at the same time violates a unique constraint, and nothing is written.
WITH call AS (
    INSERT INTO payments_sandbox_call (key, fingerprint, at, status, body)
    SELECT %(key)s::text, %(fingerprint)s::text, %(now)s::timestamptz, 200, '{}'
    WHERE NOT EXISTS (SELECT FROM payments_sandbox_weather WHERE failure_rate > 0 OR latency > 0)
      AND NOT EXISTS (SELECT FROM payments_sandbox_payment WHERE payment_id = %(payment_id)s::text)
      AND NOT EXISTS (SELECT FROM payments_sandbox_call WHERE key = %(key)s::text)
    RETURNING key
)
INSERT INTO payments_sandbox_payment (
    payment_id, state, amount, currency, behaviour, seconds, changed_at,
    order_name, channel_key, transaction_id, token, origin, address, failure_code, failure_message
)
SELECT
    %(payment_id)s::text, 'REGISTERED', %(amount)s::bigint, coalesce(%(currency)s::text, 'KRW'),
    %(behaviour)s::text, %(seconds)s::float8, %(now)s::timestamptz,
    '', '', '', '', '', '127.0.0.1', '', ''
FROM call
RETURNING id;
