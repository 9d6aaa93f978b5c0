-- Everybody of a minute has a number: people from there on can be called. A repeat changes nothing.
--
-- KEYS     as in _line.lua
-- ARGV     minute
-- Returns  1, or 0 if it was finished already
local finished = redis.call('ZREM', minutes, ARGV[1])
if finished == 1 then
  skip_turn() -- so many are in line now that every server reads it again
end
return finished
