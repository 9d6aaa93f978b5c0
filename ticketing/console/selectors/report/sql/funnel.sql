-- People per stage, and no-shows: called, but expired or left before coming in.
SELECT
    count(DISTINCT person),
    count(DISTINCT person) FILTER (WHERE called IS NOT NULL),
    count(DISTINCT person) FILTER (WHERE admitted IS NOT NULL),
    count(*) FILTER (WHERE called IS NOT NULL AND admitted IS NULL AND ending IN ('expired', 'left'))
FROM queue_visits
