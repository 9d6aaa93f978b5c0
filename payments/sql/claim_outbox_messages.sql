-- Claim the next due message that has no earlier waiting message about the same aggregate. It belongs to
-- the caller until the lease ends, and stays in state waiting so that no later message overtakes it.
UPDATE payments_outboxmessage
SET due_at = %(lease)s, attempts = attempts + 1
WHERE id = (
    SELECT message.id
    FROM payments_outboxmessage AS message
    WHERE message.state = 'waiting' AND message.due_at <= %(now)s
    AND NOT EXISTS (
        SELECT FROM payments_outboxmessage AS earlier
        WHERE earlier.aggregate = message.aggregate AND earlier.state = 'waiting'
        AND earlier.sequence < message.sequence
    )
    ORDER BY message.due_at, message.id
    LIMIT 1
    FOR NO KEY UPDATE OF message SKIP LOCKED
)
RETURNING *;
