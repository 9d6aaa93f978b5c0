-- Where a fan stands, without that being a sign of life.
--
-- ARGV     person, now_ms
-- Returns  standing
return standing(ARGV[1], tonumber(ARGV[2]))
