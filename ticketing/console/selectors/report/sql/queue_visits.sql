-- One row per visit to the queue, from number to end; a person who joins again has several. Whoever is
-- moved to the end of the line, or back, leaves one number for another.
SELECT
    person,
    number,
    min(at) FILTER (WHERE kind IN ('join', 'companion', 'demoted', 'restored')) AS joined,
    min(at) FILTER (WHERE kind IN ('ready', 'admit')) AS called,
    min(at) FILTER (WHERE kind = 'admit') AS admitted,
    max(at) FILTER (WHERE kind IN ('completed', 'left', 'expired', 'blocked', 'closed')) AS ended,
    max(kind) FILTER (WHERE kind IN ('completed', 'left', 'expired', 'blocked', 'closed')) AS ending
FROM (
    SELECT person, number, kind, at
    FROM queue_queuejournal
    WHERE event_id = %(event)s AND number %% 10000000000 > 0
    UNION ALL
    SELECT person, previous, 'left', at
    FROM (
        SELECT person, kind, at, lag(number) OVER (PARTITION BY person ORDER BY id) AS previous
        FROM queue_queuejournal
        WHERE event_id = %(event)s AND person IN (
            SELECT person FROM queue_queuejournal
            WHERE event_id = %(event)s AND kind IN ('demoted', 'restored')
        )
    ) AS moved
    WHERE kind IN ('demoted', 'restored')
) AS entries
GROUP BY person, number
