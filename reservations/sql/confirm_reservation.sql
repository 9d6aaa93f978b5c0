-- Confirm a paid reservation: lock it, sell its seats and issue their tickets. Returns it as it was.
WITH reservation AS MATERIALIZED (
    SELECT * FROM reservations_reservation WHERE code = %(code)s FOR NO KEY UPDATE
),
sale AS MATERIALIZED (
    SELECT id, event_id, fan_id FROM reservation WHERE state = 'paying'
),
{sale}
SELECT {reservation}, array(SELECT id FROM seat ORDER BY id) AS seats FROM reservation;
