-- Add messages about one aggregate. The caller holds its row lock, so that the numbers, which the table
-- hands out, are in the order of the changes; a count of earlier messages could be of an older snapshot.
INSERT INTO payments_outboxmessage
    (aggregate, sequence, kind, body, state, attempts, created_at, due_at, error)
SELECT %(aggregate)s, nextval('payments_outboxmessage_id_seq'), message.kind, message.body::jsonb,
       'waiting', 0, %(now)s, %(now)s, ''
FROM (
    SELECT kind, body
    FROM unnest(%(kinds)s::text[], %(bodies)s::text[]) WITH ORDINALITY AS given (kind, body, position)
    ORDER BY position
) AS message;
