-- Accept asynchronous requests for seats, in this order. A key that its fan used before adds nothing.
-- `place` counts everybody who wants the same seat, this one included; of several seats, the longest
-- line.
WITH asked AS MATERIALIZED (
    SELECT code, event::bigint AS event, fan::bigint AS fan, key, seats::bigint[] AS seats,
           created_at::timestamptz AS created_at, nullif(party, '')::bigint AS party, nth
    FROM unnest(
        %(codes)s::text[], %(events)s::text[], %(fans)s::text[], %(keys)s::text[], %(seats)s::text[],
        %(times)s::text[], %(parties)s::text[]
    ) WITH ORDINALITY AS asked (code, event, fan, key, seats, created_at, party, nth)
),
added AS (
    INSERT INTO reservations_holdrequest (code, event_id, fan_id, key, seats, state, created_at, party)
    SELECT code, event, fan, key, seats, 'pending', created_at, party FROM asked ORDER BY nth
    ON CONFLICT DO NOTHING
    RETURNING id, code, seats
),
turns AS (
    INSERT INTO reservations_requestedseat (request_id, seat_id)
    SELECT id, unnest(seats) FROM added
    RETURNING request_id, seat_id
),
places AS (
    SELECT request_id, seat_id, row_number() OVER (PARTITION BY seat_id ORDER BY request_id) AS nth
    FROM turns
),
-- All parts see the table as it was before, so these are the requests of earlier statements.
earlier AS (
    SELECT seat_id, count(*) AS total
    FROM reservations_requestedseat
    WHERE seat_id IN (SELECT seat_id FROM turns)
    GROUP BY seat_id
)
SELECT added.id, added.code, max(coalesce(earlier.total, 0) + places.nth) AS place
FROM added
JOIN places ON places.request_id = added.id
LEFT JOIN earlier ON earlier.seat_id = places.seat_id
GROUP BY added.id, added.code;
