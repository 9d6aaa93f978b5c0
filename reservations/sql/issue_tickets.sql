-- Part of a statement: issue a ticket for each seat of the reservation in `sale`, in the buyer's name,
-- with its first change row. `one_live_ticket_per_seat` refuses a second one. Codes are made from a
-- random seed, so that the number of seats need not be known beforehand.
ticket AS (
    INSERT INTO reservations_ticket
        (code, reservation_id, event_id, seat_id, holder_id, name, serial, state, reason, created_at)
    SELECT (
               SELECT string_agg(
                   substr(%(letters)s, 1 + mod(get_byte(reserved.digest, place), length(%(letters)s)), 1), ''
               )
               FROM generate_series(0, %(code_length)s::int - 1) AS place
           ),
           sale.id, sale.event_id, reserved.seat_id, sale.fan_id,
           (SELECT display_name FROM accounts_user WHERE id = sale.fan_id), 1, 'valid', '', %(now)s
    FROM sale
    JOIN (
        SELECT reservation_id, seat_id, sha256(%(seed)s::bytea || int8send(seat_id)) AS digest
        FROM reservations_reservedseat
    ) AS reserved ON reserved.reservation_id = sale.id
    ORDER BY reserved.seat_id
    RETURNING id, code
),
ticket_change AS (
    INSERT INTO reservations_ticketchange (ticket_id, at, what, before, after, why)
    SELECT id, %(now)s, 'issued', '', code, '' FROM ticket
)
