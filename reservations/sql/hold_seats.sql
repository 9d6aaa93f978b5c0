-- Hold seats for a fan, all or none: lock the rows, decide and write. The lock makes losers wait
-- instead of fail; the constraint `one_live_reservation_per_seat` guarantees the result. The lock
-- timeout and `lock_person_limit.sql` come first, as statements of their own, so that this one's
-- snapshot is taken after the person's lock.
WITH sale AS (
    SELECT state = 'on_sale' AS is_open, seats_per_person, hold_seconds, currency
    FROM ticketing_event
    WHERE id = %(event)s AND state <> 'draft'
),
earlier AS (
    SELECT id
    FROM reservations_reservation
    WHERE event_id = %(event)s AND fan_id = %(fan)s AND key = %(key)s AND key <> ''
),
chosen AS MATERIALIZED (
{choice}
),
described AS (
    SELECT chosen.id, chosen.state, grade.code AS grade, grade.name_ko, grade.name_en, grade.price,
           section.code AS section, place.section_id, place.row, place.number, place.accessible, place.companion
    FROM chosen
    JOIN ticketing_seat AS seat USING (id)
    JOIN ticketing_place AS place ON place.id = seat.place_id
    JOIN ticketing_section AS section ON section.id = place.section_id
    JOIN ticketing_grade AS grade ON grade.id = chosen.grade_id
),
mine AS (
    SELECT count(*) + (
        -- Tickets transferred to the fan; tickets they transferred away still count for them.
        SELECT count(*)
        FROM reservations_ticket AS ticket
        JOIN reservations_reservation AS theirs ON theirs.id = ticket.reservation_id
        WHERE ticket.event_id = %(event)s AND ticket.holder_id = %(fan)s
        AND ticket.state <> 'void' AND theirs.fan_id <> %(fan)s
    ) AS seats
    FROM reservations_reservation AS reservation
    JOIN reservations_reservedseat AS seat ON seat.reservation_id = reservation.id
    WHERE reservation.event_id = %(event)s AND reservation.fan_id = %(fan)s AND seat.live
),
decision AS MATERIALIZED (
    SELECT CASE
        WHEN (SELECT is_open FROM sale) IS NULL THEN 'no_event'
        WHEN EXISTS (SELECT FROM earlier) THEN 'earlier'
        WHEN NOT (SELECT is_open FROM sale) THEN 'not_on_sale'
        WHEN (SELECT count(*) FROM chosen) < %(quantity)s THEN 'missing'
        WHEN EXISTS (SELECT FROM chosen WHERE state <> 'available') THEN 'taken'
        WHEN (SELECT seats FROM mine) + %(quantity)s > (SELECT seats_per_person FROM sale)
            THEN 'too_many'
        WHEN EXISTS (
            SELECT FROM described AS companion
            WHERE companion.companion AND NOT EXISTS (
                SELECT FROM described AS wheelchair
                WHERE wheelchair.accessible AND wheelchair.section_id = companion.section_id
                AND wheelchair.row = companion.row
            )
        ) THEN 'companion_alone'
        ELSE 'held'
    END AS status
),
reservation AS (
    INSERT INTO reservations_reservation
        (code, event_id, fan_id, state, created_at, deadline, total, currency, key)
    SELECT %(code)s, %(event)s, %(fan)s, 'held', %(now)s,
           %(now)s + sale.hold_seconds * interval '1 second',
           (SELECT sum(price) FROM described), sale.currency, %(key)s
    FROM decision, sale
    WHERE decision.status = 'held'
    RETURNING id, deadline, total, currency
),
reserved AS (
    INSERT INTO reservations_reservedseat (reservation_id, seat_id, live, grade, price)
    SELECT reservation.id, described.id, true, described.grade, described.price
    FROM reservation, described
),
marked AS (
    UPDATE ticketing_seat
    SET state = 'held'
    FROM reservation
    WHERE ticketing_seat.id IN (SELECT id FROM chosen)
)
SELECT decision.status,
       reservation.id, reservation.deadline, reservation.total, reservation.currency,
       (SELECT id FROM earlier) AS earlier,
       (SELECT seats FROM mine) AS mine,
       (SELECT seats_per_person FROM sale) AS seats_per_person,
       (SELECT array_agg(id ORDER BY id) FROM chosen WHERE state <> 'available') AS taken,
       (
           SELECT json_agg(
               json_build_object(
                   'id', id, 'section', section, 'row', row, 'number', number,
                   'grade', grade, 'grade_names', json_build_object('ko', name_ko, 'en', name_en),
                   'price', price
               ) ORDER BY id
           ) FROM described
       ) AS seats,
       -- Expired holds that block this one and that no task has ended yet.
       (
           SELECT array_agg(id)
           FROM reservations_reservation AS stale
           WHERE decision.status IN ('taken', 'too_many')
           AND stale.state = 'held' AND stale.deadline <= %(now)s
           AND (
               stale.event_id = %(event)s AND stale.fan_id = %(fan)s
               OR stale.id IN (
                   SELECT reservation_id
                   FROM reservations_reservedseat
                   WHERE live AND seat_id IN (SELECT id FROM chosen WHERE state = 'held')
               )
           )
       ) AS stale
FROM decision
LEFT JOIN reservation ON true;
