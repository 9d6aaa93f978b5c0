-- Note that a person stands in the line of an event too.
--
-- KEYS     lines of this person: zset, event by the time of joining
-- ARGV     event, now_ms
-- Returns  the events in whose lines they stand, this one included; earliest first
local lines = KEYS[1]
local event, now = ARGV[1], tonumber(ARGV[2])
local DAY = 86400

redis.call('ZADD', lines, 'NX', now, event)
redis.call('EXPIRE', lines, DAY)
return redis.call('ZRANGE', lines, 0, -1)
