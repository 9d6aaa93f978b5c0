-- Per grade: seats sold and kept, seats given back, time of the first and of the last change.
SELECT
    grade,
    count(*) FILTER (WHERE back_at IS NULL),
    count(*) FILTER (WHERE back_at IS NOT NULL),
    min(sold_at),
    greatest(max(sold_at), max(back_at))
FROM sold_seats
GROUP BY grade
