-- Claim the next requests whose turn it is: none of their seats has an earlier unfinished request.
-- Requests that another worker is claiming are skipped; those with an expired lease are claimed again.
WITH ripe AS MATERIALIZED (
    SELECT request.id
    FROM reservations_holdrequest AS request
    WHERE request.state IN ('pending', 'processing')
    AND (request.state = 'pending' OR request.leased_until <= %(now)s)
    AND NOT EXISTS (
        SELECT
        FROM reservations_requestedseat AS turn
        JOIN reservations_requestedseat AS earlier
            ON earlier.seat_id = turn.seat_id AND earlier.request_id < turn.request_id
        WHERE turn.request_id = request.id
    )
    ORDER BY request.id
    LIMIT %(batch)s
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE reservations_holdrequest AS request
SET state = 'processing', leased_until = %(lease)s
FROM ripe
WHERE request.id = ripe.id
RETURNING request.id;
