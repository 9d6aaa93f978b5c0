-- The next message to deliver whose earlier ones are all out of the way; the caller's until the lease
-- ends. It stays waiting, so that no later one about the same thing overtakes it.
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
