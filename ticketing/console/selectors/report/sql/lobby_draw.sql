-- Numbers given to people drawn in the lobby: how many, and how many differ from the draw. With the place of a
-- leader who left, a companion has the number that was drawn for the leader.
WITH drawn AS (
    SELECT drawing.first_number + people.place - 1 AS number, people.person
    FROM queue_queuedraw AS drawing,
        jsonb_array_elements_text(drawing.people) WITH ORDINALITY AS people (person, place)
    WHERE drawing.queue_id = %(event)s
)
SELECT count(*), count(*) FILTER (WHERE drawn.person <> coalesce(given.leader, given.person)::text)
FROM queue_queuejournal AS given
INNER JOIN drawn ON drawn.number = given.number %% 10000000000
WHERE given.event_id = %(event)s AND given.kind = 'join'
