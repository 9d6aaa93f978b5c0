-- Any free places of a standing section: rows that others have locked are skipped, so nobody waits.
-- Returns their ids in order; an empty array if enough are free, but locked by others at the moment;
-- nothing if there are not enough.
CREATE OR REPLACE FUNCTION choose_places(event bigint, quantity integer, grade text, section text)
RETURNS bigint[]
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    its_id bigint;
    its_grade bigint;
    chosen bigint[];
BEGIN
    SELECT section.id INTO its_id
    FROM ticketing_event AS event
    JOIN ticketing_section AS section ON section.plan_id = event.plan_id
    WHERE event.id = choose_places.event AND section.code = choose_places.section
    AND section.kind = 'standing';
    IF choose_places.grade <> '' THEN
        SELECT coalesce(min(id), 0) INTO its_grade
        FROM ticketing_grade
        WHERE event_id = choose_places.event AND code = choose_places.grade;
    END IF;
    SELECT array_agg(id ORDER BY id) INTO chosen
    FROM (
        SELECT id
        FROM ticketing_seat
        WHERE event_id = choose_places.event AND section_id = its_id AND state = 'available'
        AND (its_grade IS NULL OR grade_id = its_grade)
        LIMIT choose_places.quantity
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS locked;
    IF coalesce(cardinality(chosen), 0) = choose_places.quantity THEN
        RETURN chosen;
    END IF;
    SELECT '{}' INTO chosen
    FROM (
        SELECT FROM ticketing_seat
        WHERE event_id = choose_places.event AND section_id = its_id AND state = 'available'
        AND (its_grade IS NULL OR grade_id = its_grade)
        LIMIT choose_places.quantity
    ) AS free
    HAVING count(*) = choose_places.quantity;
    RETURN chosen;
END
$$;
