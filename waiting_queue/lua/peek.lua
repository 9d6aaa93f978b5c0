-- Where a person stands. Unlike a poll this is no heartbeat.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms
-- Returns  standing
return standing(ARGV[1], tonumber(ARGV[2]))
