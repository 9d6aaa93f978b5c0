-- Write the rules of a queue. Without meta nothing happens unless the queue is new, or its line was lost and the mark
-- of its rebuild is there: then the server has lost nothing since the rebuild began. If the lobby is about to be
-- drawn, its numbers are reserved in the same step, so that whoever joins from now on is behind everybody in it.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, new (0: meta must be there, 1: it may be missing, else the mark), then the rules as for a tick
-- Returns  the first number reserved for the lobby, 0 if none, -1 if the mark is gone
local now = tonumber(ARGV[1])
local new, rate = ARGV[2], ARGV[7]

if redis.call('HEXISTS', meta, 'epoch') == 0 then
  if new == '0' then
    return 0
  end
  if new ~= '1' and (redis.call('HGET', meta, 'rebuild') ~= new or not note_server()) then
    return -1
  end
  redis.call('HDEL', meta, 'rebuild')
  -- A short hash is a list, which every field that is read or missing is looked for in. A long value makes it a table.
  redis.call('HSET', meta, 'format', string.rep('-', 65))
  redis.call('HSET', meta, 'tokens', 0, 'refilled', now, 'ticked', now, 'fast', rate)
  note_server()
end
set_rules(3, now)
end_due_minute(now)
redis.call('HSET', meta, pace_fields(0, room()))
return tonumber(redis.call('HGET', meta, 'lobby_first') or 0)
