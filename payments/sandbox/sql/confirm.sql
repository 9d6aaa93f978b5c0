-- Charge a payment with a card that simply succeeds: the ledger, the state, the webhook, and the
-- answer by the idempotency key. No row if there is anything else to decide. Of several at once the
-- later ones find it paid when they get the lock; those with the same key violate its constraint.
WITH payment AS MATERIALIZED (
    SELECT * FROM payments_sandbox_payment
    WHERE payment_id = %(payment_id)s::text AND state = 'READY' AND behaviour = 'succeed'
      AND token = %(token)s::text AND token <> ''
      AND (%(amount)s::bigint IS NULL OR amount = %(amount)s::bigint)
      AND (%(currency)s::text IS NULL OR currency = %(currency)s::text)
      AND (%(transaction_id)s::text IS NULL OR transaction_id = %(transaction_id)s::text)
      AND NOT EXISTS (SELECT FROM payments_sandbox_weather WHERE failure_rate > 0 OR latency > 0)
      AND NOT EXISTS (SELECT FROM payments_sandbox_call WHERE key = %(key)s::text)
    FOR UPDATE
),
call AS (
    INSERT INTO payments_sandbox_call (key, fingerprint, at, status, body)
    SELECT %(key)s::text, %(fingerprint)s::text, %(now)s::timestamptz, 200,
           jsonb_build_object('pgTxId', 'pg-' || transaction_id, 'paidAt', %(paid_at)s::text)
    FROM payment
    RETURNING body
),
charge AS (
    INSERT INTO payments_sandbox_movement (payment_id, kind, amount, at)
    SELECT id, 'charge', coalesce(amount, 0), %(now)s::timestamptz FROM payment
),
paid AS (
    UPDATE payments_sandbox_payment AS paid
    SET state = 'PAID', token = '', due_at = NULL, changed_at = %(now)s::timestamptz, paid_at = %(now)s::timestamptz
    FROM payment WHERE paid.id = payment.id
),
webhook AS (
    INSERT INTO payments_sandbox_webhook (
        payment_id, webhook_id, kind, payment_state, url, body, made_at, sendings, is_lost
    )
    SELECT
        id, %(webhook_id)s::text, %(kind)s::text, 'PAID',
        coalesce(rtrim(nullif(origin, ''), '/') || %(path)s::text, %(url)s::text),
        replace(%(webhook_body)s::text, '<transaction>', transaction_id), %(now)s::timestamptz, 0, false
    FROM payment
    RETURNING *
)
SELECT call.body AS answer, webhook.* FROM call, webhook;
