-- People waiting and inside per time slot: at the end of the slot, and the maximum in it.
, changes AS (
    SELECT joined AS at, 1 AS waiting, 0 AS inside FROM queue_visits WHERE joined IS NOT NULL
    UNION ALL
    SELECT coalesce(called, ended), -1, 0 FROM queue_visits
    WHERE joined IS NOT NULL AND coalesce(called, ended) IS NOT NULL
    UNION ALL
    SELECT admitted, 0, 1 FROM queue_visits WHERE admitted IS NOT NULL
    UNION ALL
    SELECT ended, 0, -1 FROM queue_visits WHERE admitted IS NOT NULL AND ended IS NOT NULL
)
, changes_by_time AS (
    SELECT at, sum(waiting) AS waiting, sum(inside) AS inside FROM changes GROUP BY at
)
, sizes AS (
    SELECT at, sum(waiting) OVER (ORDER BY at) AS waiting, sum(inside) OVER (ORDER BY at) AS inside
    FROM changes_by_time
)
SELECT
    floor(extract(epoch FROM at) / %(slot_seconds)s)::bigint AS slot,
    (array_agg(waiting ORDER BY at DESC))[1]::bigint,
    (array_agg(inside ORDER BY at DESC))[1]::bigint,
    max(waiting)::bigint,
    max(inside)::bigint
FROM sizes
GROUP BY slot
ORDER BY slot
