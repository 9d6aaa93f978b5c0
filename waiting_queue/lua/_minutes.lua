-- The mode "draw all along": the newcomers of a minute get their numbers together, by lot, when it is over.
--
-- They gather in the lobby. Their score there is MINUTES_FROM and the ordinal of their minute; people before the
-- opening have the time at which they came. The step that ends a minute reserves its numbers: whoever comes later
-- is behind everybody in it, however late it is drawn.
--
-- meta  minute        ordinal of the last minute in which somebody came
--       minute_ends   when the one that runs ends; missing if none does
--       minute_ended  when the last one ended
local MINUTE_MS = 60000

-- End the minute that runs if it is over, or if the mode was changed. The opening lobby comes first. An end that
-- is far ahead was computed by a clock that was wrong.
local function end_due_minute(now)
  local minute, ends, mode, drawing = rules('minute', 'minute_ends', 'mode', 'drawing')
  if not ends then
    return
  end
  local is_over = drawing ~= 1 and (now >= ends or ends - now > 2 * MINUTE_MS)
  if not is_over and mode == 'minute_draw' then
    return
  end
  local people = redis.call('ZCOUNT', lobby, MINUTES_FROM + minute, MINUTES_FROM + minute)
  redis.call('HDEL', meta, 'minute_ends')
  redis.call('HSET', meta, 'minute_ended', math.min(now, ends))
  if people > 0 then
    local last = redis.call('INCRBY', counter, people)
    local first = last - people + 1
    redis.call('ZADD', minutes, first, minute)
    redis.call('HSET', meta, 'lobby_last', last)
    redis.call('XADD', journal, '*', 'k', 'minute', 'p', minute, 'n', first, 'c', people, 't', now)
  end
end

-- Add a newcomer to the minute that runs. No minute begins before the last one's end, whatever a clock says.
local function join_minute(person, now)
  local ends, last_end = rules('minute_ends', 'minute_ended')
  if not ends then
    local from = later(now, last_end or 0)
    redis.call('HINCRBY', meta, 'minute', 1)
    redis.call('HSET', meta, 'minute_ends', (math.floor(from / MINUTE_MS) + 1) * MINUTE_MS)
  end
  local minute = rules('minute')
  redis.call('ZADD', lobby, MINUTES_FROM + minute, person)
  redis.call('ZADD', seen, now, person)
  record('lobby', person, -minute, now)
end

-- Numbers from this one on belong to a minute that is not drawn yet, or to people who came after it.
local function first_undrawn()
  return redis.call('ZRANGE', minutes, 0, 0, 'WITHSCORES')[2]
end
