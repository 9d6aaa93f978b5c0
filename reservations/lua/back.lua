-- A try came to nothing: open the gate again, but for the seats that the database says are taken.
--
-- KEYS     gate
-- ARGV     fan, until_ms: how long those stay shut, how many of them, those seats, the others
-- Returns  1
local gate = KEYS[1]
local fan, until_ms, shut = ARGV[1], ARGV[2], tonumber(ARGV[3])

for index = 4, #ARGV do
  local seat = ARGV[index]
  local owner = string.match(redis.call('HGET', gate, seat) or '', ':(.*)$')
  if index < 4 + shut then
    redis.call('HSET', gate, seat, until_ms .. ':')
  elseif owner == fan then
    redis.call('HDEL', gate, seat)
  end
end
return 1
