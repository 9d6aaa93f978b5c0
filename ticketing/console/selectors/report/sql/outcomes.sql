-- Queue visits by the furthest stage reached and how they ended; an empty ending means still there.
SELECT
    CASE
        WHEN admitted IS NOT NULL THEN 'inside'
        WHEN called IS NOT NULL THEN 'called'
        ELSE 'waiting'
    END AS stage,
    coalesce(ending, ''),
    count(*)
FROM queue_visits
GROUP BY 1, 2
