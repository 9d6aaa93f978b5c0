-- Keys and functions that all scripts of an event's line share; prepended to each of them.
--
-- KEYS  meta     hash    the rules as of the last tick, the token bucket, and counts
--       lobby    zset    people before the opening, by when they came
--       line     zset    people waiting, by number
--       ready    zset    people whose turn it is, by the time until which they may claim
--       inside   zset    people inside, by the time their pass ends
--       seen     zset    everybody in lobby or line, by their last heartbeat
--       called   hash    person -> number:admitted_ms, of those ready or inside
--       ended    zset    people who are out, by when and how
--       blocked  hash    person -> reason
--       counter  string  the last number given
--       journal  stream  what happened, until it is copied to PostgreSQL
--       changes  list    person:number of those whose state changed since the last tick message
local meta, lobby, line, ready, inside = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local seen, called, ended, blocked = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local counter, journal, changes = KEYS[10], KEYS[11], KEYS[12]

local RULES = {
  'epoch', 'state', 'drawing', 'capacity', 'rate', 'cap', 'claim', 'pass', 'pass_max', 'absence', 'lines',
}
local ENDINGS = { completed = 0, left = 1, expired = 2, blocked = 3, closed = 4 }
local ENDING_NAMES = { [0] = 'completed', 'left', 'expired', 'blocked', 'closed' }
-- Unused permits are kept for this long only; permits of ticks that did not run are not lost.
local KEPT_MS = 1000
local MISSED_MS = 60000
-- With more changes than this, servers read the whole line instead.
local CHANGES_KEPT = 20000

-- Leave a gap in the turns: every server that follows the line reads the whole of it again.
local function skip_turn()
  redis.call('DEL', changes)
  redis.call('HINCRBY', meta, 'turn', 1)
end

-- Reserve numbers for everybody in the lobby in the same step that ends it: later joins come after them.
local function reserve_lobby_numbers(now)
  if redis.call('HEXISTS', meta, 'lobby_first') == 0 then
    local people = redis.call('ZCARD', lobby)
    local last = redis.call('INCRBY', counter, people)
    redis.call('HSET', meta, 'lobby_first', last - people + 1, 'lobby_last', last, 'refilled', now)
  end
end

-- Write the rules that begin at ARGV[first].
local function set_rules(first, now)
  local state, drawing = ARGV[first + 1], ARGV[first + 2]
  if state == 'lobby' and redis.call('HEXISTS', meta, 'lobby_first') == 1 then
    return -- read before the lobby ended: nobody may enter it any more
  end
  local fields = {}
  for index, name in ipairs(RULES) do
    fields[2 * index - 1], fields[2 * index] = name, ARGV[first + index - 1]
  end
  local was_drawing = redis.call('HGET', meta, 'drawing') == '1'
  redis.call('HSET', meta, unpack(fields))
  if drawing == '1' then
    reserve_lobby_numbers(now)
  elseif was_drawing then
    skip_turn() -- the whole lobby is in line now
  end
end

local function rules(...)
  local values = redis.call('HMGET', meta, ...)
  for index = 1, #values do
    values[index] = tonumber(values[index]) or values[index]
  end
  return unpack(values)
end

local function add_change(person, number)
  if redis.call('RPUSH', changes, person .. ':' .. number) > CHANGES_KEPT then
    skip_turn()
  end
end

-- Write to the journal. A join changes nobody else's place; everything else is a change.
local function record(kind, person, number, now)
  redis.call('XADD', journal, '*', 'k', kind, 'p', person, 'n', number, 't', now)
  if kind ~= 'join' and kind ~= 'lobby' then
    add_change(person, number)
  end
end

-- Returns  number, admitted_ms; 0 where there is none
local function number_of(person)
  local mark = redis.call('HGET', called, person)
  if mark then
    local number, admitted = string.match(mark, '^(%d+):(%d+)$')
    return tonumber(number), tonumber(admitted)
  end
  return tonumber(redis.call('ZSCORE', line, person) or 0), 0
end

-- Free places inside.
local function room()
  local cap = rules('cap')
  return cap - redis.call('ZCARD', inside) - redis.call('ZCARD', ready)
end

-- The later of two times. Clocks disagree by a little, which must not turn time back; a clock that
-- is more than a minute behind was corrected, and counts.
local function later(now, before)
  if before - now > MISSED_MS then
    return now
  end
  return math.max(now, before)
end

-- Permits to admit, including those of the time since the last refill.
local function permits(now)
  local rate, tokens, refilled = rules('rate', 'tokens', 'refilled')
  if rate == 0 then
    return math.huge
  end
  local elapsed = math.min(math.max(now - refilled, 0), MISSED_MS)
  return math.floor((tokens + elapsed * rate / 1000) * 1e6 + 0.5) / 1e6 -- so that 0.7 + 0.3 is 1
end

-- Take `count` permits. What is left beyond a second's worth is dropped, unless `more` are taken
-- in the next round of this tick.
local function spend(available, count, now, more)
  local rate, refilled = rules('rate', 'refilled')
  if rate == 0 then
    available, count = 0, 0
  end
  local most = math.max(rate * (more and MISSED_MS or KEPT_MS) / 1000, 1)
  local kept = math.min(available - count, most)
  redis.call('HSET', meta, 'tokens', string.format('%.6f', kept), 'refilled', later(now, refilled))
end

local function admit(person, number, now)
  redis.call('ZADD', inside, now + rules('pass'), person)
  redis.call('HSET', called, person, number .. ':' .. now)
  redis.call('HINCRBY', meta, 'admitted', 1)
  record('admit', person, number, now)
end

-- Remove a person from the one set they are in. Returns the state they had, or false.
local function remove(person, how, now)
  local number, was = number_of(person), false
  for _, place in ipairs({ { 'waiting', line }, { 'admitted', inside }, { 'ready', ready }, { 'lobby', lobby } }) do
    if redis.call('ZREM', place[2], person) == 1 then
      was = place[1]
      break
    end
  end
  if not was then
    return false
  end
  if was == 'waiting' or was == 'lobby' then
    redis.call('ZREM', seen, person)
  else
    redis.call('HDEL', called, person)
  end
  redis.call('ZADD', ended, now * 8 + ENDINGS[how], person)
  redis.call('HINCRBY', meta, how, 1)
  record(how, person, number, now)
  return was
end

-- How many people of a lobby that is being drawn will get a number before this one.
local function undrawn_before(number)
  local undrawn = redis.call('ZCARD', lobby)
  if undrawn == 0 or number <= tonumber(redis.call('HGET', meta, 'lobby_last') or math.huge) then
    return 0
  end
  return undrawn
end

-- Returns {state, number, ahead, deadline, admitted_ms}
local function place_of(person, now)
  local number, admitted = number_of(person)
  local ahead = number > 0 and redis.call('ZRANK', line, person)
  if ahead then
    return { 'waiting', number, ahead + undrawn_before(number), 0, 0 }
  end
  local deadline = redis.call('ZSCORE', inside, person)
  if deadline then
    return { tonumber(deadline) > now and 'admitted' or 'expired', number, 0, tonumber(deadline), admitted }
  end
  deadline = redis.call('ZSCORE', ready, person)
  if deadline then
    return { tonumber(deadline) > now and 'ready' or 'expired', number, 0, tonumber(deadline), 0 }
  end
  if redis.call('ZSCORE', lobby, person) then
    return { 'lobby', 0, 0, 0, 0 }
  end
  local ending = redis.call('ZSCORE', ended, person)
  if ending then
    return { ENDING_NAMES[tonumber(ending) % 8], 0, 0, 0, 0 }
  end
  return { 'none', 0, 0, 0, 0 }
end

-- Whether a token was given for an earlier stay in line than the present one. A token of somebody
-- who is out of the line can do no harm.
local function is_revoked(person, number, epoch)
  if not number or number == '' then
    return false
  end
  local current = number_of(person)
  if current == 0 and not redis.call('ZSCORE', lobby, person) then
    return false
  end
  local present = redis.call('HGET', meta, 'epoch') -- false while the line is being rebuilt
  return tonumber(number) ~= current or (present and present ~= epoch)
end

-- A person's place and how the line around it looks; `place` if it was read already.
-- Returns {state, number, ahead, deadline, admitted_ms, waiting, lobby, queue state, fast, slow,
--          epoch, lines allowed, absence_ms, turn}; turn is that of the first tick message that contains
--          everything this answer knows
local function standing(person, now, place)
  local answer = place or place_of(person, now)
  local values = redis.call('HMGET', meta, 'state', 'fast', 'slow', 'epoch', 'lines', 'absence', 'turn')
  answer[6] = redis.call('ZCARD', line)
  answer[7] = redis.call('ZCARD', lobby)
  answer[8] = values[1] or ''
  answer[9] = values[2] or '0'
  answer[10] = values[3] or '0'
  answer[11] = values[4] or ''
  answer[12] = tonumber(values[5] or 0)
  answer[13] = tonumber(values[6] or 0)
  answer[14] = tonumber(values[7] or 0) + 1
  return answer
end
