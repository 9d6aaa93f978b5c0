-- These seats are taken: refuse every pending request for one of them. `taken` says why each is.
WITH late AS MATERIALIZED (
    SELECT id
    FROM reservations_holdrequest
    WHERE state = 'pending' AND id IN (
        SELECT request_id FROM reservations_requestedseat WHERE seat_id = ANY(%(seats)s::bigint[])
    )
    ORDER BY id
    FOR NO KEY UPDATE SKIP LOCKED
),
done AS (
    DELETE FROM reservations_requestedseat WHERE request_id IN (SELECT id FROM late)
)
UPDATE reservations_holdrequest AS request
SET state = 'failed', finished_at = %(now)s, leased_until = NULL,
    refusal = jsonb_build_object(
        'code', 'seat_taken',
        'details', jsonb_build_object(
            'seats', array(
                SELECT seat FROM unnest(request.seats) AS seat WHERE seat = ANY(%(seats)s::bigint[])
            ),
            'taken', array(
                SELECT one FROM jsonb_array_elements(%(taken)s::jsonb) AS one
                WHERE (one ->> 'seat')::bigint = ANY(request.seats)
            )
        )
    )
FROM late
WHERE request.id = late.id
RETURNING request.id, request.code, request.event_id, request.fan_id, request.seats, request.state,
          request.created_at, request.finished_at, request.refusal::text AS refusal;
