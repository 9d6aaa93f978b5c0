-- Hold seats for a fan, all or none: lock the rows, decide and write. The locks make losers wait
-- instead of fail; the constraint `one_live_reservation_per_seat` guarantees the result.
--
-- A function, because each connection then plans its statements once, behind a pooler too, and
-- because each of them has a snapshot of its own: the count taken after waiting for the person's lock
-- is current. Plans are kept while tables grow from nothing to a sold-out sale, so none may read a
-- whole table.
CREATE OR REPLACE FUNCTION hold_seats(
    kind text, event bigint, fan bigint, quantity integer, seats bigint[], grade text, section text,
    accessible boolean, near integer, code text, key text, now timestamptz, wait_ms integer DEFAULT 500,
    party bigint DEFAULT NULL, stay text DEFAULT '', moves integer DEFAULT 0,
    OUT status text, OUT id bigint, OUT deadline timestamptz, OUT total bigint, OUT currency text,
    OUT mine bigint, OUT seats_per_person integer, OUT taken bigint[], OUT stale bigint[],
    OUT details text[]
)
LANGUAGE plpgsql
SET lock_timeout = '500ms' -- so that `wait_ms`, below, ends with the function
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    began timestamptz := clock_timestamp();
    sale record;
    chosen bigint[];
    grades text[];
    prices integer[];
    is_alone boolean;
BEGIN
    PERFORM set_config('lock_timeout', greatest(hold_seats.wait_ms, 1)::text, true);
    PERFORM lock_person_limit(hold_seats.event, hold_seats.fan);
    -- Who was called as a party has one limit. Its lock comes last: whoever has it waits for no person.
    IF hold_seats.party IS NOT NULL THEN
        PERFORM lock_person_limit(hold_seats.event, -hold_seats.party);
    END IF;
    -- The rows get what is left, so that the whole call ends before its caller gives up. Nearly nobody waits
    -- for a person, and to change a setting takes as long as to read a row.
    IF clock_timestamp() - began > interval '10 ms' THEN
        PERFORM set_config('lock_timeout', greatest(
            hold_seats.wait_ms - (extract(epoch FROM clock_timestamp() - began) * 1000)::integer, 1
        )::text, true);
    END IF;
    -- Another browser took the pass over after this hold was let through: it has answered, or will.
    IF hold_seats.stay <> '' AND EXISTS (
        SELECT FROM reservations_passmove AS move
        WHERE move.event_id = hold_seats.event AND move.fan_id = hold_seats.fan
        AND move.stay = hold_seats.stay AND move.moves > hold_seats.moves
    ) THEN
        status := 'elsewhere';
        RETURN;
    END IF;
    -- Tickets transferred to the fan count; so do those that they transferred away. Subqueries keep
    -- the order of the joins: planned while tables are empty, any order looks equally good.
    SELECT state, seats_per_person, hold_seconds, currency, (
        SELECT count(*) FROM reservations_reservedseat AS reserved
        WHERE reserved.reservation_id = ANY(ARRAY(
            SELECT reservation.id FROM reservations_reservation AS reservation
            WHERE reservation.event_id = event.id AND reservation.fan_id = hold_seats.fan
            AND reservation.live
        ))
    ) + (
        SELECT count(*) FROM reservations_ticket AS ticket
        WHERE ticket.event_id = event.id AND ticket.holder_id = hold_seats.fan
        AND ticket.state <> 'void' AND hold_seats.fan <> (
            SELECT theirs.fan_id FROM reservations_reservation AS theirs
            WHERE theirs.id = ticket.reservation_id
        )
    ) + CASE WHEN hold_seats.party IS NULL THEN 0 ELSE (
        SELECT count(*) FROM reservations_reservedseat AS reserved
        WHERE reserved.reservation_id = ANY(ARRAY(
            SELECT reservation.id FROM reservations_reservation AS reservation
            WHERE reservation.event_id = event.id AND reservation.party = hold_seats.party
            AND reservation.live AND reservation.fan_id <> hold_seats.fan
        ))
    ) END AS mine
    INTO sale
    FROM ticketing_event AS event
    WHERE id = hold_seats.event AND state <> 'draft';
    IF NOT FOUND THEN
        status := 'no_event';
        RETURN;
    END IF;
    IF hold_seats.key <> '' THEN
        SELECT id INTO hold_seats.id
        FROM reservations_reservation
        WHERE fan_id = hold_seats.fan AND event_id = hold_seats.event
        AND key = hold_seats.key AND key <> '';
        IF FOUND THEN
            status := 'earlier';
            RETURN;
        END IF;
    END IF;
    IF sale.state <> 'on_sale' THEN
        status := 'not_on_sale';
        RETURN;
    END IF;

    CASE hold_seats.kind
        WHEN 'seats' THEN -- locked by primary key, so that nobody deadlocks
            SELECT array_agg(id), array_agg(id) FILTER (WHERE state <> 'available')
            INTO chosen, taken
            FROM (
                SELECT id, state
                FROM ticketing_seat
                -- Not `=`: in a new event, which has no statistics yet, an index would read all its seats.
                WHERE id = ANY(hold_seats.seats) AND event_id IS NOT DISTINCT FROM hold_seats.event
                ORDER BY id
                FOR NO KEY UPDATE
            ) AS locked;
        WHEN 'best' THEN
            chosen := choose_best(
                hold_seats.event, hold_seats.quantity, hold_seats.grade, hold_seats.accessible,
                hold_seats.near
            );
        WHEN 'places' THEN
            chosen := choose_places(
                hold_seats.event, hold_seats.quantity, hold_seats.grade, hold_seats.section
            );
    END CASE;
    IF coalesce(cardinality(chosen), 0) < hold_seats.quantity THEN
        status := CASE WHEN cardinality(chosen) = 0 THEN 'busy' ELSE 'missing' END;
        RETURN;
    END IF;

    mine := sale.mine;
    seats_per_person := sale.seats_per_person;
    IF taken IS NOT NULL OR mine + hold_seats.quantity > sale.seats_per_person THEN
        status := CASE WHEN taken IS NULL THEN 'too_many' ELSE 'taken' END;
        -- Expired holds that block this one and that no task has ended yet.
        SELECT array_agg(id) INTO stale
        FROM reservations_reservation
        WHERE state = 'held' AND deadline <= hold_seats.now AND (
            event_id = hold_seats.event AND (fan_id = hold_seats.fan OR party = hold_seats.party)
            OR id IN (
                SELECT reservation_id FROM reservations_reservedseat
                WHERE live AND seat_id = ANY(taken)
            )
        );
        RETURN;
    END IF;

    SELECT array_agg(grade.code ORDER BY seat.id), array_agg(grade.price ORDER BY seat.id),
           sum(grade.price),
           bool_or(place.companion AND NOT EXISTS (
               SELECT
               FROM ticketing_seat AS other
               JOIN ticketing_place AS wheelchair ON wheelchair.id = other.place_id
               WHERE other.id = ANY(chosen) AND wheelchair.accessible
               AND wheelchair.section_id = place.section_id AND wheelchair.row = place.row
           )),
           array_agg(ARRAY[
               seat.id::text, section.code, place.row, place.number::text, grade.code,
               grade.name_ko, grade.name_en, grade.price::text
           ] ORDER BY seat.id)
    INTO grades, prices, total, is_alone, details
    FROM ticketing_seat AS seat
    JOIN ticketing_place AS place ON place.id = seat.place_id
    JOIN ticketing_section AS section ON section.id = place.section_id
    JOIN ticketing_grade AS grade ON grade.id = seat.grade_id
    WHERE seat.id = ANY(chosen);
    IF is_alone THEN
        status := 'companion_alone';
        RETURN;
    END IF;

    deadline := hold_seats.now + sale.hold_seconds * interval '1 second';
    currency := sale.currency;
    INSERT INTO reservations_reservation
        (code, event_id, fan_id, state, created_at, deadline, total, currency, key, party)
    VALUES
        (hold_seats.code, hold_seats.event, hold_seats.fan, 'held', hold_seats.now,
         hold_seats.deadline, hold_seats.total, sale.currency, hold_seats.key, hold_seats.party)
    RETURNING reservations_reservation.id INTO hold_seats.id;
    INSERT INTO reservations_reservedseat (reservation_id, seat_id, live, grade, price)
    SELECT hold_seats.id, unnest(chosen), true, unnest(grades), unnest(prices);
    UPDATE ticketing_seat SET state = 'held' WHERE id = ANY(chosen);
    status := 'held';
END
$$;
