-- Issue the tickets of a paid reservation that has none. The caller holds the reservation's lock.
WITH sale AS MATERIALIZED (
    SELECT id, event_id, fan_id FROM reservations_reservation WHERE id = %(reservation)s::bigint
),
{tickets}
SELECT count(*) AS issued FROM ticket;
