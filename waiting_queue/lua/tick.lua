-- One second of the line: take out the absent, end what ran out, call the next.
-- Costs as much as the people it moves, however many wait. Late, missed, doubled or concurrent ticks
-- admit no more and no fewer: permits come from the time that has passed.
--
-- ARGV     now_ms, batch, then the rules: epoch, state, drawing, capacity, rate, cap, claim, pass,
--          pass_max, absence, lines (times in ms)
-- Returns  {called, expired, absent, lobby, waiting, ready, inside, more, called people…}
--          or {'lost'} if this is not the Redis that the sale began with
local now, batch = tonumber(ARGV[1]), tonumber(ARGV[2])
-- A gap between ticks longer than this is an outage, and nobody pays for an outage.
local OUTAGE_MS = 10000
local ENDED_KEPT_MS = 3600000

if redis.call('HGET', desk, 'epoch') ~= ARGV[3] then
  return { 'lost' }
end
set_rules(3)
local state, drawing, claim, absence = ARGV[4], ARGV[5], tonumber(ARGV[9]), tonumber(ARGV[12])
local last, counted_from = rules('ticked', 'counted_from')
last, counted_from = last or now, counted_from or 0

local function shift(key, by)
  for _, person in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    redis.call('ZINCRBY', key, by, person)
  end
end

if now - last > OUTAGE_MS then
  shift(ready, now - last)
  shift(inside, now - last)
  counted_from = now
  redis.call('HSET', desk, 'counted_from', now)
end

local left = batch
local function end_all(key, horizon, how)
  local gone = redis.call('ZRANGEBYSCORE', key, '-inf', horizon, 'LIMIT', 0, left)
  for _, person in ipairs(gone) do
    remove(person, how, now)
  end
  left = left - #gone
  return #gone
end

local expired = end_all(inside, now, 'expired') + end_all(ready, now, 'expired')
local absent = 0
if counted_from + absence <= now then
  absent = end_all(seen, now - absence, 'expired')
end
local forgotten = redis.call('ZRANGEBYSCORE', ended, '-inf', (now - ENDED_KEPT_MS) * 8, 'LIMIT', 0, batch)
if #forgotten > 0 then
  redis.call('ZREM', ended, unpack(forgotten))
end

local people = {}
if (state == 'open' or state == 'draining') and drawing ~= '1' then
  local available = permits(now)
  local count = math.max(math.min(math.floor(available), room(), left), 0)
  local next_ones = redis.call('ZPOPMIN', line, count)
  for index = 1, #next_ones, 2 do
    local person, number = next_ones[index], next_ones[index + 1]
    redis.call('ZREM', seen, person)
    redis.call('ZADD', ready, now + claim, person)
    redis.call('HSET', called, person, string.format('%d:0', number))
    note('ready', person, string.format('%d', number), now)
    people[#people + 1] = person
  end
  spend(available, #people, now)
else
  redis.call('HSET', desk, 'tokens', 0, 'refilled', math.max(now, rules('refilled') or 0))
end

-- How fast people are really called: two averages, a quick one and a steady one.
local elapsed = math.max(now - last, 0) / 1000
if elapsed > 0 then
  for name, memory in pairs({ fast = 30, slow = 300 }) do
    local keep = math.exp(-elapsed / memory)
    local rate = (rules(name) or 0) * keep + (#people / elapsed) * (1 - keep)
    redis.call('HSET', desk, name, string.format('%.6f', rate))
  end
end
redis.call('HSET', desk, 'ticked', math.max(now, last))

local more = left <= 0 and 1 or 0
local sizes = { redis.call('ZCARD', lobby), redis.call('ZCARD', line), redis.call('ZCARD', ready), redis.call('ZCARD', inside) }
return { #people, expired, absent, sizes[1], sizes[2], sizes[3], sizes[4], more, unpack(people) }
