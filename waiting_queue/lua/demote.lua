-- Move people to the end of the line, each with a new number in the given order.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, batch (a repeat of it changes nothing), reason, then the people
-- Returns  the people who were moved
local now, batch, reason = tonumber(ARGV[1]), ARGV[2], ARGV[3]

local moved = {}
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return moved -- while the line is being rebuilt nothing may bypass the journal
end
for index = 4, #ARGV do
  if demote(ARGV[index], batch, reason, now) then
    moved[#moved + 1] = ARGV[index]
  end
end
return moved
