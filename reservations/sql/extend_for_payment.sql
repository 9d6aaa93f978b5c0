-- Extend a hold so that it can be paid: it does not expire until the payment is settled.
WITH
{extend_hold},
extended AS (
    UPDATE reservations_reservation AS reservation
    SET state = 'paying', deadline = extension.deadline
    FROM extension
    WHERE reservation.id = extension.id AND extension.status = 'extended'
)
SELECT extension.status, extension.deadline AS extended_to, {reservation},
       array(
           SELECT seat_id
           FROM reservations_reservedseat
           WHERE reservation_id = reservation.id
           ORDER BY seat_id
       ) AS seats
FROM extension
JOIN reservation USING (id);
