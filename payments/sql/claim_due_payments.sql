-- Claim the payments that are due for settlement. No other worker gets them before the lease ends.
UPDATE payments_payment
SET due_at = %(lease)s, attempts = attempts + 1
WHERE id IN (
    SELECT id
    FROM payments_payment
    WHERE due_at <= %(now)s
    ORDER BY due_at
    LIMIT %(batch)s
    FOR NO KEY UPDATE SKIP LOCKED
)
RETURNING id;
