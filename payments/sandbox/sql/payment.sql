-- A payment with its charge and its webhooks. No row if there is anything else to look at: a fault
-- is injected, something is pending, or it was refunded.
SELECT
    {payment},
    coalesce((
        SELECT sum(amount) FROM payments_sandbox_movement AS movement
        WHERE movement.payment_id = payment.id AND kind = 'charge'
    ), 0)::bigint AS charged,
    coalesce((
        SELECT jsonb_agg(webhook ORDER BY id) FROM payments_sandbox_webhook AS webhook
        WHERE webhook.payment_id = payment.id
    ), '[]') AS webhooks
FROM payments_sandbox_payment AS payment
WHERE payment.payment_id = %(payment_id)s::text
  AND state IN ('READY', 'FAILED', 'PAID') AND behaviour <> 'refund_pending'
  AND NOT EXISTS (SELECT FROM payments_sandbox_weather WHERE failure_rate > 0 OR latency > 0)
  AND NOT EXISTS (
      SELECT FROM payments_sandbox_cancellation AS cancellation
      WHERE cancellation.payment_id = payment.id
  );
