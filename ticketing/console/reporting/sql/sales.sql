-- Seats sold and given back in each slot of time, by grade.
, moves AS (
    SELECT grade, sold_at AS at, 1 AS seats FROM sold
    UNION ALL
    SELECT grade, back_at, -1 FROM sold WHERE back_at IS NOT NULL
)
SELECT floor(extract(epoch FROM at) / %(step)s)::bigint AS slot, grade, sum(seats)::bigint
FROM moves
GROUP BY slot, grade
ORDER BY slot, grade
