-- One row per visit to the queue, from number to end; a person who joins again has several.
SELECT
    person,
    number,
    min(at) FILTER (WHERE kind = 'join') AS joined,
    min(at) FILTER (WHERE kind IN ('ready', 'admit')) AS called,
    min(at) FILTER (WHERE kind = 'admit') AS admitted,
    max(at) FILTER (WHERE kind IN ('completed', 'left', 'expired', 'blocked', 'closed')) AS ended,
    max(kind) FILTER (WHERE kind IN ('completed', 'left', 'expired', 'blocked', 'closed')) AS ending
FROM queue_queuejournal
WHERE event_id = %(event)s AND number > 0
GROUP BY person, number
