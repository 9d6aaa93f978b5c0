-- Part of a statement: confirm the reservation in `sale`, a row that the statement has locked, and
-- mark its seats as sold. If `sale` is empty, nothing happens.
seat AS MATERIALIZED (
    SELECT seat.id
    FROM ticketing_seat AS seat
    JOIN reservations_reservedseat AS reserved ON reserved.seat_id = seat.id
    JOIN sale ON sale.id = reserved.reservation_id
    ORDER BY seat.id
    FOR NO KEY UPDATE OF seat
),
sold AS (
    UPDATE ticketing_seat
    SET state = 'sold'
    FROM seat
    WHERE ticketing_seat.id = seat.id
),
confirmed AS (
    UPDATE reservations_reservation AS reservation
    SET state = 'confirmed'
    FROM sale
    WHERE reservation.id = sale.id
    RETURNING reservation.*
)
