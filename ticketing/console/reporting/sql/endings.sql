-- How stays ended, by how far they had come; without an ending they go on.
SELECT
    CASE
        WHEN admitted IS NOT NULL THEN 'inside'
        WHEN called IS NOT NULL THEN 'called'
        ELSE 'waiting'
    END AS stage,
    coalesce(ending, ''),
    count(*)
FROM stays
GROUP BY 1, 2
