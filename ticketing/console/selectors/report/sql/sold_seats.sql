-- Sold seats with the time of sale, and the time they were given back if they were.
SELECT
    seats.grade,
    coalesce(
        (
            SELECT min(coalesce(paid.charging_at, paid.created_at)) FROM payments_payment AS paid
            WHERE paid.reservation_id = reservations.id AND paid.charged > 0
        ),
        reservations.created_at
    ) AS sold_at,
    coalesce(seats.at, CASE WHEN reservations.state = 'refunded' THEN reservations.ended_at END) AS back_at
FROM reservations_reservation AS reservations
INNER JOIN (
    SELECT reservation_id, grade, NULL::timestamptz AS at FROM reservations_reservedseat
    UNION ALL
    SELECT reservation_id, grade, at FROM reservations_cancelledseat
) AS seats ON seats.reservation_id = reservations.id
WHERE reservations.event_id = %(event)s AND reservations.state IN ('confirmed', 'refunded')
