-- The same lock as in `before_hold.sql`: one choice of a person at a time, whichever way it comes.
SELECT pg_advisory_xact_lock(hashtextextended('hold:' || %(event)s || ':' || %(fan)s, 0));
