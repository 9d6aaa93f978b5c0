-- Give a part of the lobby its numbers. The order was worked out from the published seed; who left
-- the lobby meanwhile is passed over, and a repeat changes nothing.
--
-- ARGV     now_ms, first number, then the people of this part in drawn order
-- Returns  how many were moved
local now, first = tonumber(ARGV[1]), tonumber(ARGV[2])

local moved = 0
for index = 3, #ARGV do
  local person, number = ARGV[index], first + index - 3
  if redis.call('ZREM', lobby, person) == 1 then
    redis.call('ZADD', line, number, person)
    note('join', person, number, now)
    moved = moved + 1
  end
end
return moved
