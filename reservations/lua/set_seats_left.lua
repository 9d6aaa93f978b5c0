-- Store the count of free seats, unless an update was published while they were counted.
--
-- KEYS     seats_left, seat_updates
-- ARGV     free, id of the last update before counting, ttl_seconds
-- Returns  1 if the count was stored, 0 if it must be counted again
local seats_left, seat_updates = KEYS[1], KEYS[2]
local free, last_id, ttl = ARGV[1], ARGV[2], ARGV[3]

local last = redis.call('XREVRANGE', seat_updates, '+', '-', 'COUNT', 1)
if (last[1] and last[1][1] or '') ~= last_id and redis.call('EXISTS', seats_left) == 1 then
  return 0
end
redis.call('SET', seats_left, free, 'EX', ttl)
return 1
