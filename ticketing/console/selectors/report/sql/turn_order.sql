-- First call (or entry) of each number in journal order: its lane, its rank in it, its number there.
-- Without those whom an operator let in without waiting.
SELECT
    number / 10000000000,
    dense_rank() OVER (PARTITION BY number / 10000000000 ORDER BY number),
    number %% 10000000000
FROM (
    SELECT number, min(id) AS first
    FROM queue_queuejournal
    WHERE event_id = %(event)s AND number > 0 AND kind = ANY(%(kinds)s::text[] || 'bypass'::text)
    GROUP BY person, number
    HAVING NOT bool_or(kind = 'bypass')
) AS turns
ORDER BY first
