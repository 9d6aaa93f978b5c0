-- Serialises everything that adds seats to one person of an event, so that the number counted under
-- it is right until the commit. An advisory lock of its own, so that nothing else waits for it.
SELECT pg_advisory_xact_lock(hashtextextended('hold:' || %(event)s || ':' || %(fan)s, 0));
