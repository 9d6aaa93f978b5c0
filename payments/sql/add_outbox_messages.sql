-- Add messages about one aggregate, numbered after the existing ones. The caller holds its row lock.
INSERT INTO payments_outboxmessage
    (aggregate, sequence, kind, body, state, attempts, created_at, due_at, error)
SELECT %(aggregate)s,
       coalesce((SELECT max(sequence) FROM payments_outboxmessage WHERE aggregate = %(aggregate)s), 0)
       + message.position,
       message.kind, message.body::jsonb, 'waiting', 0, %(now)s, %(now)s, ''
FROM unnest(%(kinds)s::text[], %(bodies)s::text[]) WITH ORDINALITY AS message (kind, body, position);
