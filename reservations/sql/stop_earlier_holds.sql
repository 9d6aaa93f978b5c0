-- Another browser has taken the pass over: holds that were let through before, and are still on their way,
-- are refused from now on (`hold_seats.sql`). The person's lock waits for one that is being written.
INSERT INTO reservations_passmove (event_id, fan_id, stay, moves, at)
SELECT %(event)s::bigint, %(fan)s::bigint, %(stay)s, %(moves)s::integer, %(now)s
FROM lock_person_limit(%(event)s::bigint, %(fan)s::bigint)
ON CONFLICT (event_id, fan_id, stay) DO UPDATE
SET moves = greatest(reservations_passmove.moves, excluded.moves), at = excluded.at
RETURNING moves;
