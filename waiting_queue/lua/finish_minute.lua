-- Everybody of a minute has a number: people from there on can be called. A repeat changes nothing.
--
-- KEYS     as in _line.lua
-- ARGV     minute, epoch
-- Returns  1, or 0 if it was finished already, or if the line was rebuilt since its numbers were given
local minute, epoch = ARGV[1], ARGV[2]

if redis.call('HGET', meta, 'epoch') ~= epoch then
  return 0
end
local finished = redis.call('ZREM', minutes, minute)
if finished == 1 then
  redis.call('HDEL', meta, 'drawn:' .. minute)
  skip_turn() -- so many are in line now that every server reads it again
end
return finished
