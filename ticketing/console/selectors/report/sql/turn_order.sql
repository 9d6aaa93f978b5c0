-- First call (or entry) of each number in journal order: its rank among all numbers, the number.
SELECT dense_rank() OVER (ORDER BY number), number
FROM (
    SELECT number, min(id) AS first
    FROM queue_queuejournal
    WHERE event_id = %(event)s AND number > 0 AND kind = ANY(%(kinds)s)
    GROUP BY person, number
) AS turns
ORDER BY first
