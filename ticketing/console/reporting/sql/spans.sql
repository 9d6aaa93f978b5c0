-- How long people waited, took to come in, and stayed: count, average, percentiles, longest.
, spans AS (
    SELECT
        extract(epoch FROM called - joined) AS waiting,
        extract(epoch FROM admitted - called) AS answering,
        extract(epoch FROM ended - admitted) AS inside
    FROM stays
)
SELECT
    count(waiting), avg(waiting), max(waiting),
    percentile_cont(%(shares)s::float8[]) WITHIN GROUP (ORDER BY waiting),
    count(answering), avg(answering), max(answering),
    percentile_cont(%(shares)s::float8[]) WITHIN GROUP (ORDER BY answering),
    count(inside), avg(inside), max(inside),
    percentile_cont(%(shares)s::float8[]) WITHIN GROUP (ORDER BY inside)
FROM spans
