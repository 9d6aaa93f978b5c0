-- Claim due messages, of each aggregate only the first that waits. They belong to the caller until the
-- lease ends, and stay in state waiting so that no later message overtakes them.
UPDATE payments_outboxmessage
SET due_at = %(lease)s, attempts = attempts + 1
WHERE id = ANY(ARRAY(
    SELECT message.id
    FROM payments_outboxmessage AS message
    WHERE message.state = 'waiting' AND message.due_at <= %(now)s
    AND NOT EXISTS (
        SELECT FROM payments_outboxmessage AS earlier
        WHERE earlier.aggregate = message.aggregate AND earlier.state = 'waiting'
        AND earlier.sequence < message.sequence
        OFFSET 0  -- looked up for each row until there are enough; as a join, for all that wait
    )
    ORDER BY message.due_at
    LIMIT %(limit)s
    FOR NO KEY UPDATE OF message SKIP LOCKED
))
RETURNING *;
