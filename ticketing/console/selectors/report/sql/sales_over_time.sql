-- Seats sold minus seats given back, per time slot and grade.
, changes AS (
    SELECT grade, sold_at AS at, 1 AS seats FROM sold_seats
    UNION ALL
    SELECT grade, back_at, -1 FROM sold_seats WHERE back_at IS NOT NULL
)
SELECT floor(extract(epoch FROM at) / %(slot_seconds)s)::bigint AS slot, grade, sum(seats)::bigint
FROM changes
GROUP BY slot, grade
ORDER BY slot, grade
