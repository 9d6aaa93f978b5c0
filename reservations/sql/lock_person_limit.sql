-- Serialises everything that adds seats to one person of an event, so that the number counted under
-- it is right until the commit. An advisory lock of its own, so that nothing else waits for it.
CREATE OR REPLACE FUNCTION lock_person_limit(event bigint, fan bigint) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
    SELECT pg_advisory_xact_lock(hashtextextended('hold:' || event || ':' || fan, 0));
END;
