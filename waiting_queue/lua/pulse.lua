-- What every server tells the people in line: how it looks now, and to whom something happened
-- since the last pulse. Turns count up by one, so that whoever misses one knows it.
--
-- ARGV     most (news in one pulse; the rest comes with the next)
-- Returns  {turn, epoch, state, drawing, absence_ms, head, last, waiting, lobby, ready, inside, admitted,
--          fast, slow, {news…}}; head is the number of the first in line, last the last one given;
--          or {'lost'} while the line is being rebuilt
local most = tonumber(ARGV[1])

local epoch, state, drawing, absence, admitted, fast, slow =
  unpack(redis.call('HMGET', desk, 'epoch', 'state', 'drawing', 'absence', 'admitted', 'fast', 'slow'))
if not epoch then
  return { 'lost' }
end

local last = tonumber(redis.call('GET', counter) or 0)
local head = tonumber(redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')[2] or last + 1)

return {
  redis.call('HINCRBY', desk, 'turn', 1), epoch, state, tonumber(drawing), tonumber(absence), head, last,
  redis.call('ZCARD', line), redis.call('ZCARD', lobby), redis.call('ZCARD', ready), redis.call('ZCARD', inside),
  tonumber(admitted or 0), fast, slow, redis.call('LPOP', news, most) or {},
}
