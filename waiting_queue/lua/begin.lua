-- Put up the desk of a queue: from now on the scripts know its rules. Doing it again only renews
-- the rules. If the lobby is about to be drawn, its numbers are set aside in the same breath, so that
-- whoever comes now is behind everybody who waited in it.
--
-- ARGV     now_ms, then the rules as for a tick
-- Returns  the first number set aside for the lobby, 0 if none
local now = tonumber(ARGV[1])
if redis.call('EXISTS', desk) == 0 then
  redis.call('HSET', desk, 'tokens', 0, 'refilled', now, 'ticked', now, 'fast', ARGV[6], 'slow', ARGV[6])
end
set_rules(2)
local drawing = ARGV[4]
if drawing == '1' and redis.call('HEXISTS', desk, 'lobby_first') == 0 then
  local people = redis.call('ZCARD', lobby)
  local last = redis.call('INCRBY', counter, people)
  redis.call('HSET', desk, 'lobby_first', last - people + 1, 'refilled', now)
end
return tonumber(redis.call('HGET', desk, 'lobby_first') or 0)
