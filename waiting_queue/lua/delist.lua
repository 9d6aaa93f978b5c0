-- Forget that a person stands in the line of an event.
--
-- KEYS     lines of this person
-- ARGV     event
-- Returns  1 if they did
return redis.call('ZREM', KEYS[1], ARGV[1])
