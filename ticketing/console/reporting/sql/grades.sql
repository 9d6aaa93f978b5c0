-- By grade: seats sold and not given back, seats given back, and when the first and the last moved.
SELECT
    grade,
    count(*) FILTER (WHERE back_at IS NULL),
    count(*) FILTER (WHERE back_at IS NOT NULL),
    min(sold_at),
    greatest(max(sold_at), max(back_at))
FROM sold
GROUP BY grade
