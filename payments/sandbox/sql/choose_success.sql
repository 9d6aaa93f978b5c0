-- The fan pays with a card that simply succeeds, and the shop has to confirm it. No row if there is
-- anything else to decide.
UPDATE payments_sandbox_payment
SET token = %(token)s::text, behaviour = 'succeed', seconds = %(seconds)s::float8
WHERE payment_id = %(payment_id)s::text AND state = 'READY'
  AND channel_key LIKE '%manual%'
  AND amount = coalesce(%(amount)s::bigint, amount)
  AND currency = coalesce(%(currency)s::text, currency)
RETURNING transaction_id;
