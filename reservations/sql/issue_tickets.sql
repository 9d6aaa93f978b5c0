-- Issue a ticket for each seat of a confirmed reservation in the buyer's name, with its first change
-- row. `one_live_ticket_per_seat` refuses a second one.
WITH seat AS (
    SELECT seat_id, row_number() OVER (ORDER BY seat_id) AS place
    FROM reservations_reservedseat
    WHERE reservation_id = %(reservation)s
),
ticket AS (
    INSERT INTO reservations_ticket
        (code, reservation_id, event_id, seat_id, holder_id, name, serial, state, reason, created_at)
    SELECT code.text, reservation.id, reservation.event_id, seat.seat_id, fan.id, fan.display_name,
           1, 'valid', '', %(now)s
    FROM reservations_reservation AS reservation
    JOIN accounts_user AS fan ON fan.id = reservation.fan_id
    CROSS JOIN seat
    JOIN unnest(%(codes)s::text[]) WITH ORDINALITY AS code (text, place) ON code.place = seat.place
    WHERE reservation.id = %(reservation)s
    RETURNING id, code
)
INSERT INTO reservations_ticketchange (ticket_id, at, what, before, after, why)
SELECT id, %(now)s, 'issued', '', code, '' FROM ticket;
