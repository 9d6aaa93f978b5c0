-- Give a part of the lobby its numbers, in the order computed from the published seed. People who
-- left the lobby meanwhile are skipped; a repeat changes nothing.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, first number, then the people of this part in drawn order
-- Returns  how many were moved to the line
local now, first = tonumber(ARGV[1]), tonumber(ARGV[2])

local moved = 0
for index = 3, #ARGV do
  local person, number = ARGV[index], first + index - 3
  if redis.call('ZREM', lobby, person) == 1 then
    redis.call('ZADD', line, number, person)
    record('join', person, number, now)
    moved = moved + 1
  end
end
return moved
