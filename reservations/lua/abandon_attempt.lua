-- An attempt failed: open the gate again, except for seats that the database says are taken.
--
-- KEYS     gate
-- ARGV     fan, until_ms (how long taken seats stay shut), number of taken seats, the letter of why
--          each is taken and its id, then the other seats of the attempt
-- Returns  1
local gate = KEYS[1]
local fan, until_ms, taken_count = ARGV[1], ARGV[2], tonumber(ARGV[3])
local others = 4 + 2 * taken_count

for index = 4, others - 1, 2 do
  redis.call('HSET', gate, ARGV[index + 1], until_ms .. '::' .. ARGV[index])
end
for index = others, #ARGV do
  local owner = string.match(redis.call('HGET', gate, ARGV[index]) or '', ':(%d*)')
  if owner == fan then
    redis.call('HDEL', gate, ARGV[index])
  end
end
return 1
