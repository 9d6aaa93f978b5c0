-- One second of the line: remove the absent, end calls and passes that ran out, call the next.
-- Its cost depends on the people it moves, not on how many wait. Late, missed, doubled or concurrent
-- ticks admit no more and no fewer: permits come from the time that has passed.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, batch (people considered for a call), sweep (people removed), grace_ms (calls are kept
--          so much longer, for claims on their way), behind (1: the site answers late), then the rules:
--          epoch, state, drawing, capacity, rate, cap, claim, pass, pass_max, absence, lines (in ms)
-- Returns  {called, expired, absent, lobby, waiting, ready, inside, more, called people…}
--          or {'lost'} if Redis does not have the line of this epoch
local now, batch, sweep = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local grace, behind = tonumber(ARGV[4]), ARGV[5] == '1'
-- A gap between ticks longer than this is an outage: deadlines move by as much.
local OUTAGE_MS = 10000
-- While the site answers late, nobody's time to claim runs and nobody counts as absent; but not for
-- longer than this at a stretch, so that a process which is always late can't stop the line.
local BEHIND_MS = 300000
local ENDED_KEPT_MS = 3600000

if redis.call('HGET', meta, 'epoch') ~= ARGV[6] then
  return { 'lost' }
end
set_rules(6, now)
local state, drawing, claim, absence = rules('state', 'drawing', 'claim', 'absence')
local last, counted_from, uncounted = rules('ticked', 'counted_from', 'uncounted')
last, counted_from, uncounted = last or now, counted_from or 0, uncounted or 0

local function shift(key, by)
  for _, person in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    redis.call('ZINCRBY', key, by, person)
  end
end

local step = later(now, last) - last
if step > OUTAGE_MS or step < 0 then
  shift(ready, step)
  shift(inside, step)
  counted_from = now
  redis.call('HSET', meta, 'counted_from', now)
elseif behind and (rules('behind') or 0) < BEHIND_MS then
  shift(ready, step)
  counted_from = now
  redis.call('HSET', meta, 'counted_from', now)
  redis.call('HINCRBY', meta, 'behind', step)
end
if not behind then
  redis.call('HDEL', meta, 'behind')
end

local left = sweep
local function end_all(key, until_ms, how)
  local over = redis.call('ZRANGEBYSCORE', key, '-inf', until_ms, 'LIMIT', 0, left)
  for _, person in ipairs(over) do
    remove(person, how, now)
  end
  left = left - #over
  return #over
end

local absent_since = counted_from + absence <= now and now - absence or -1
local expired = end_all(inside, now, 'expired') + end_all(ready, now - grace, 'expired')
local absent = end_all(seen, absent_since, 'expired')
local forgotten = redis.call('ZRANGEBYSCORE', ended, '-inf', (now - ENDED_KEPT_MS) * 8, 'LIMIT', 0, sweep)
if #forgotten > 0 then
  redis.call('ZREM', ended, unpack(forgotten))
end

local people = {}
local function call(person, number)
  redis.call('ZREM', line, person)
  redis.call('ZREM', seen, person)
  redis.call('ZADD', ready, now + claim, person)
  redis.call('HSET', called, person, number .. ':0')
  record('ready', person, number, now)
  people[#people + 1] = person
end

-- People who are absent are not called, even if the sweep has not reached them yet.
local function call_next(count)
  local next_ones = redis.call('ZRANGE', line, 0, count - 1, 'WITHSCORES')
  for index = 1, #next_ones, 2 do
    local person, number = next_ones[index], string.format('%d', next_ones[index + 1])
    if tonumber(redis.call('ZSCORE', seen, person) or now) > absent_since then
      call(person, number)
    else
      remove(person, 'expired', now)
      absent = absent + 1
    end
  end
  return #next_ones / 2
end

local more = left <= 0
if (state == 'open' or state == 'draining') and drawing ~= 1 then
  local available = permits(now)
  local wanted = math.max(math.min(math.floor(available), room()), 0)
  local considered = wanted > 0 and call_next(math.min(wanted, batch)) or 0
  local unfinished = #people < wanted and considered == math.min(wanted, batch)
  spend(available, #people, now, unfinished)
  more = more or unfinished
else
  redis.call('HSET', meta, 'tokens', 0, 'refilled', later(now, rules('refilled')))
end

-- How fast people are called: two moving averages, over half a minute and over five minutes.
local elapsed = math.max(now - last, 0) / 1000
uncounted = uncounted + #people
if elapsed > 0 then
  for name, memory in pairs({ fast = 30, slow = 300 }) do
    local keep = math.exp(-elapsed / memory)
    local rate = (rules(name) or 0) * keep + (uncounted / elapsed) * (1 - keep)
    redis.call('HSET', meta, name, string.format('%.6f', rate))
  end
  uncounted = 0
end
redis.call('HSET', meta, 'ticked', later(now, last), 'uncounted', uncounted)

local sizes = { redis.call('ZCARD', lobby), redis.call('ZCARD', line), redis.call('ZCARD', ready), redis.call('ZCARD', inside) }
return { #people, expired, absent, sizes[1], sizes[2], sizes[3], sizes[4], more and 1 or 0, unpack(people) }
