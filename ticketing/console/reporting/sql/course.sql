-- How many waited and how many were inside, by slots of time: at the end of each, and at most.
, moves AS (
    SELECT joined AS at, 1 AS waiting, 0 AS inside FROM stays WHERE joined IS NOT NULL
    UNION ALL
    SELECT coalesce(called, ended), -1, 0 FROM stays
    WHERE joined IS NOT NULL AND coalesce(called, ended) IS NOT NULL
    UNION ALL
    SELECT admitted, 0, 1 FROM stays WHERE admitted IS NOT NULL
    UNION ALL
    SELECT ended, 0, -1 FROM stays WHERE admitted IS NOT NULL AND ended IS NOT NULL
)
, moments AS (
    SELECT at, sum(waiting) AS waiting, sum(inside) AS inside FROM moves GROUP BY at
)
, sizes AS (
    SELECT at, sum(waiting) OVER (ORDER BY at) AS waiting, sum(inside) OVER (ORDER BY at) AS inside
    FROM moments
)
SELECT
    floor(extract(epoch FROM at) / %(step)s)::bigint AS slot,
    (array_agg(waiting ORDER BY at DESC))[1]::bigint,
    (array_agg(inside ORDER BY at DESC))[1]::bigint,
    max(waiting)::bigint,
    max(inside)::bigint
FROM sizes
GROUP BY slot
ORDER BY slot
