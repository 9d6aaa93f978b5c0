-- The message of a tick for every server process: how the line looks now, and whose state changed since
-- the last message. Turns count up by one, so that a server notices a message that it missed.
--
-- KEYS     as in _line.lua
-- ARGV     most (changes in one message; the rest comes with the next)
-- Returns  {turn, epoch, state, drawing, absence_ms, head, last, waiting, lobby, ready, inside, admitted,
--          fast, slow, {changes…}}; head is the number of the first in line, last the last one given;
--          or {'lost'} while the line is being rebuilt
local most = tonumber(ARGV[1])

local epoch, state, drawing, absence, admitted, fast, slow =
  unpack(redis.call('HMGET', meta, 'epoch', 'state', 'drawing', 'absence', 'admitted', 'fast', 'slow'))
if not epoch then
  return { 'lost' }
end

local last = tonumber(redis.call('GET', counter) or 0)
local head = tonumber(redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')[2] or last + 1)

return {
  redis.call('HINCRBY', meta, 'turn', 1), epoch, state, tonumber(drawing), tonumber(absence), head, last,
  redis.call('ZCARD', line), redis.call('ZCARD', lobby), redis.call('ZCARD', ready), redis.call('ZCARD', inside),
  tonumber(admitted or 0), fast, slow, redis.call('LPOP', changes, most) or {},
}
