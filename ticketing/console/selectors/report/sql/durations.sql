-- Seconds waiting, answering the call and inside: count, average, maximum, percentiles.
, durations AS (
    SELECT
        extract(epoch FROM called - joined) AS waiting,
        extract(epoch FROM admitted - called) AS answering,
        extract(epoch FROM ended - admitted) AS inside
    FROM queue_visits
)
SELECT
    count(waiting), avg(waiting), max(waiting),
    percentile_cont(%(percentiles)s::float8[]) WITHIN GROUP (ORDER BY waiting),
    count(answering), avg(answering), max(answering),
    percentile_cont(%(percentiles)s::float8[]) WITHIN GROUP (ORDER BY answering),
    count(inside), avg(inside), max(inside),
    percentile_cont(%(percentiles)s::float8[]) WITHIN GROUP (ORDER BY inside)
FROM durations
