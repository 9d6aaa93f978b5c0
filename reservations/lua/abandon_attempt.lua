-- An attempt failed: open the gate again, except for seats that the database says are taken.
--
-- KEYS     gate
-- ARGV     fan, until_ms (how long taken seats stay shut), number of taken seats, the taken seats,
--          the other seats of the attempt
-- Returns  1
local gate = KEYS[1]
local fan, until_ms, taken_count = ARGV[1], ARGV[2], tonumber(ARGV[3])

for index = 4, #ARGV do
  local seat = ARGV[index]
  local owner = string.match(redis.call('HGET', gate, seat) or '', ':(.*)$')
  if index < 4 + taken_count then
    redis.call('HSET', gate, seat, until_ms .. ':')
  elseif owner == fan then
    redis.call('HDEL', gate, seat)
  end
end
return 1
