-- Store the count of free seats, unless an update was published while they were counted. Holds that
-- are committed but not published yet are in the count already: they are noted, so that publishing
-- them does not subtract them once more.
--
-- KEYS     seats_left, seat_updates, gate, counted (set of such seats)
-- ARGV     free, id of the last update before counting, ttl_seconds, counted_ttl_seconds, then seat
--          and until_ms of the newest holds
-- Returns  1 if the count was stored, 0 if it must be counted again
local seats_left, seat_updates, gate, counted = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local free, last_id, ttl, counted_ttl, FIRST = ARGV[1], ARGV[2], ARGV[3], ARGV[4], 5

local last = redis.call('XREVRANGE', seat_updates, '+', '-', 'COUNT', 1)
if (last[1] and last[1][1] or '') ~= last_id and redis.call('EXISTS', seats_left) == 1 then
  return 0
end
redis.call('SET', seats_left, free, 'EX', ttl)
redis.call('DEL', counted)
for index = FIRST, #ARGV, 2 do
  local entry = redis.call('HGET', gate, ARGV[index]) or ''
  if string.match(entry, '^(%d+):') ~= ARGV[index + 1] then
    redis.call('SADD', counted, ARGV[index])
  end
end
redis.call('EXPIRE', counted, counted_ttl)
return 1
