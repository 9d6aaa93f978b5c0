-- Before a hold, in the same round trip and transaction; `hold.sql` then has a snapshot of its own.
--
-- 1. Nobody waits longer than this for anything below.
SELECT set_config('lock_timeout', %(patience)s, true);

-- 2. One hold of a fan at a time, in any number of tabs: what is counted below stays so until the
--    commit. A lock of its own, so that nothing else of the fan has to wait for it.
SELECT pg_advisory_xact_lock(hashtextextended('hold:' || %(event)s || ':' || %(fan)s, 0));
