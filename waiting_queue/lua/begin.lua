-- Put up the desk of a queue: from now on the scripts know its rules. Where there is one already,
-- only the rules are renewed; where there should be one, nothing happens: it is being rebuilt.
-- If the lobby is about to be drawn, its numbers are set aside in the same breath, so that whoever
-- comes now is behind everybody who waited in it.
--
-- ARGV     now_ms, new (1: there may be no desk yet), then the rules as for a tick
-- Returns  the first number set aside for the lobby, 0 if none
local now = tonumber(ARGV[1])
local new, rate = ARGV[2], ARGV[7]

if redis.call('HEXISTS', desk, 'epoch') == 0 then
  if new ~= '1' then
    return 0
  end
  redis.call('HSET', desk, 'tokens', 0, 'refilled', now, 'ticked', now, 'fast', rate, 'slow', rate)
end
set_rules(3, now)
return tonumber(redis.call('HGET', desk, 'lobby_first') or 0)
