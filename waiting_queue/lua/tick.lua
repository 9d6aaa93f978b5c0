-- One second of the line: remove the absent, end calls and passes that ran out, call the next.
-- Its cost depends on the people it moves, not on how many wait. Late, missed, doubled or concurrent
-- ticks admit no more and no fewer: permits come from the time that has passed.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, batch (people considered for a call), sweep (people removed), grace_ms (calls are kept
--          so much longer, for claims on their way), behind (1: the site answers late), then the rules:
--          epoch, state, drawing, capacity, rate, cap, claim, pass, pass_max, absence (in ms), lines, limit,
--          mode, companions; then of each lane, if the event has lanes: id, weight, opens_ms
-- Returns  {expired, absent, lobby, waiting, ready, inside, more, {called people…}}
--          or {'lost'} if Redis does not have the line of this epoch
local now, batch, sweep = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local grace, behind = tonumber(ARGV[4]), ARGV[5] == '1'
-- A gap between ticks longer than this is an outage: deadlines move by as much.
local OUTAGE_MS = 10000
-- While the site answers late, nobody's time to claim runs and nobody counts as absent; but not for
-- longer than this at a stretch, so that a process which is always late can't stop the line.
local BEHIND_MS = 300000
local ENDED_KEPT_MS = 3600000
-- Places that are read at once where some of them are not called.
local PLACES_READ = 500

if redis.call('HGET', meta, 'epoch') ~= ARGV[6] then
  return { 'lost' }
end
-- A replica that was started in the same second as its primary has the same time of its last save: so once a
-- second the server itself is looked at.
if not is_same_server() then
  redis.call('DEL', meta)
  return { 'lost' }
end
set_rules(6, now)
local state, drawing, cap, claim, absence, is_laned, last, counted_from, uncounted, fast, behind_ms,
  bypassing, unverifying, minute_ends = rules(
  'state', 'drawing', 'cap', 'claim', 'absence', 'laned', 'ticked', 'counted_from', 'uncounted', 'fast', 'behind',
  'bypass', 'unverified', 'minute_ends'
)
if minute_ends then
  end_due_minute(now)
end
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
elseif behind and (behind_ms or 0) < BEHIND_MS then
  shift(ready, step)
  counted_from = now
  redis.call('HSET', meta, 'counted_from', now)
  redis.call('HINCRBY', meta, 'behind', step)
end
if behind_ms and not behind then
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

local calls = {}
local function is_present(person)
  return tonumber(redis.call('ZSCORE', seen, person) or now) > absent_since
end

-- The turn of one place: a person, or a leader with all companions who are there. Returns how many they are.
local has_parties = redis.call('EXISTS', parties) == 1
local function add_place(person, number)
  if not has_parties then
    calls[#calls + 1] = { person, number }
    return 1
  end
  local members = disband(person, number, is_present, now)
  for _, member in ipairs(members) do
    calls[#calls + 1] = { member, number, #members > 1 and person or nil }
  end
  return #members
end

local open, clock = open_lanes(is_laned, now)

-- The first places between two numbers, without those of people who have to verify first. However many of them are
-- in front, those behind them are called.
local function first_places(from, to, count)
  if (unverifying or 0) == 0 then
    return redis.call('ZRANGEBYSCORE', line, from, to, 'WITHSCORES', 'LIMIT', 0, count)
  end
  local found, read = {}, 0
  repeat
    local part = redis.call('ZRANGEBYSCORE', line, from, to, 'WITHSCORES', 'LIMIT', read, PLACES_READ)
    read = read + PLACES_READ
    for index = 1, #part, 2 do
      if #found < 2 * count and redis.call('SISMEMBER', unverified, part[index]) == 0 then
        found[#found + 1], found[#found + 2] = part[index], part[index + 1]
      end
    end
  until #found == 2 * count or #part < 2 * PLACES_READ
  return found
end

local function last_seen(places)
  local people = {}
  for index = 1, #places, 2 do
    people[#people + 1] = places[index]
  end
  return #people > 0 and redis.call('ZMSCORE', seen, unpack(people)) or {}
end

-- The first places of each open lane, and their numbers. Nobody overtakes those of an earlier minute, which are in
-- everybody's lane.
local function read_heads(count)
  local undrawn = first_undrawn()
  for _, lane in ipairs(open) do
    local from, to = numbers_of_lane(lane.id)
    to = lane.id == 0 and undrawn and '(' .. undrawn or to
    lane.heads, lane.read = first_places(from, to, count), 0
    lane.seen = last_seen(lane.heads)
  end
end

-- People who are absent are not called, even if the sweep has not reached them yet. Each place takes one permit and
-- one call of its lane, but room for everybody of a party. Nobody of any lane overtakes a party that waits for room.
-- Returns how many places were considered, and how many are called
local function next_calls(count, free)
  local places = 0
  read_heads(count)
  for considered = 1, count do
    local lane, start = fairest_lane(open, clock)
    if not lane then
      return considered - 1, places
    end
    local person, number = lane.heads[lane.read + 1], tonumber(lane.heads[lane.read + 2])
    local seen_at = tonumber(lane.seen[lane.read / 2 + 1] or now)
    lane.read = lane.read + 2
    if seen_at <= absent_since then
      remove(person, 'expired', now)
      absent = absent + 1
    elseif has_parties and party_size(person) > free and free < cap then
      return considered - 1, places
    else
      free = free - add_place(person, number)
      places = places + 1
      clock = is_laned and charge_lane(lane, start) or clock
    end
  end
  return count, places
end

local more, bypassed = left <= 0, {}
if (state == 'open' or state == 'draining') and drawing ~= 1 then
  bypassed = (bypassing or 0) > 0 and cap > 0 and call_bypassing(now, now + claim) or {}
  local available, rate, refilled = permits(now)
  local free = room()
  local wanted, considered, places = math.max(math.min(math.floor(available), free), 0), 0, 0
  if wanted > 0 then
    considered, places = next_calls(math.min(wanted, batch), free)
    call_all(calls, now, now + claim)
  end
  local unfinished = places < wanted and considered == math.min(wanted, batch)
  spend(places, now, available, rate, refilled, unfinished)
  more = more or unfinished
else
  redis.call('HSET', meta, 'tokens', 0, 'refilled', later(now, rules('refilled')))
end

if is_laned then
  update_shares(open)
end

local people = {}
for _, called_now in ipairs({ bypassed, calls }) do
  for _, call in ipairs(called_now) do
    people[#people + 1] = call[1]
  end
end

-- How fast people are called: a moving average over half a minute.
local elapsed = math.max(now - last, 0) / 1000
uncounted, fast = uncounted + #people, fast or 0
if elapsed > 0 then
  local keep = math.exp(-elapsed / 30)
  fast, uncounted = fast * keep + (uncounted / elapsed) * (1 - keep), 0
end
local in_lobby, in_line = redis.call('ZCARD', lobby), redis.call('ZCARD', line)
local are_ready, are_inside = redis.call('ZCARD', ready), redis.call('ZCARD', inside)
redis.call(
  'HSET', meta, 'fast', string.format('%.6f', fast), 'ticked', later(now, last), 'uncounted', uncounted,
  pace_fields(elapsed, cap - are_ready - are_inside)
)
return { expired, absent, in_lobby, in_line, are_ready, are_inside, more and 1 or 0, people }
