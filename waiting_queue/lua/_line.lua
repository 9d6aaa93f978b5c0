-- What every script of the line knows. It is put in front of each of them.
--
-- KEYS  desk     hash    the rules as of the last tick, and the token bucket
--       lobby    zset    people before the opening, without order
--       line     zset    people waiting, by number
--       ready    zset    people whose turn it is, by the time until which they may claim
--       inside   zset    people inside, by the time their pass ends
--       seen     zset    everybody in lobby or line, by when they were last seen
--       called   hash    person -> number:admitted_ms, of those ready or inside
--       ended    zset    people who are out, by when and how
--       blocked  hash    person -> why
--       counter  string  the last number given
--       journal  stream  what happened, until it is in PostgreSQL
local desk, lobby, line, ready, inside = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local seen, called, ended, blocked = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local counter, journal = KEYS[10], KEYS[11]

local RULES = {
  'epoch', 'state', 'drawing', 'capacity', 'rate', 'cap', 'claim', 'pass', 'pass_max', 'absence', 'lines',
}
local ENDINGS = { completed = 0, left = 1, expired = 2, blocked = 3, closed = 4 }
local ENDING_NAMES = { [0] = 'completed', 'left', 'expired', 'blocked', 'closed' }
-- Permits that nobody could use are kept for this long only; time that ticks missed is not lost.
local KEPT_MS = 1000
local MISSED_MS = 60000

local function set_rules(first)
  for index, name in ipairs(RULES) do
    redis.call('HSET', desk, name, ARGV[first + index - 1])
  end
end

local function rules(...)
  local values = redis.call('HMGET', desk, ...)
  for index = 1, #values do
    values[index] = tonumber(values[index]) or values[index]
  end
  return unpack(values)
end

local function note(kind, person, number, now)
  redis.call('XADD', journal, '*', 'k', kind, 'p', person, 'n', number, 't', now)
end

local function number_of(person)
  local mark = redis.call('HGET', called, person)
  if mark then
    local number, admitted = string.match(mark, '^(%d+):(%d+)$')
    return tonumber(number), tonumber(admitted)
  end
  return tonumber(redis.call('ZSCORE', line, person) or 0), 0
end

local function room()
  local cap = rules('cap')
  return cap - redis.call('ZCARD', inside) - redis.call('ZCARD', ready)
end

-- Permits to admit, after adding those of the time since the last refill.
local function permits(now)
  local rate, tokens, refilled = rules('rate', 'tokens', 'refilled')
  if rate == 0 then
    return math.huge
  end
  local elapsed = math.min(math.max(now - refilled, 0), MISSED_MS)
  return tokens + elapsed * rate / 1000
end

-- Take so many permits; what is left beyond a moment's worth is gone.
local function spend(available, count, now)
  local rate, refilled = rules('rate', 'refilled')
  if rate == 0 then
    available, count = 0, 0
  end
  local kept = math.min(available - count, math.max(rate * KEPT_MS / 1000, 1))
  redis.call('HSET', desk, 'tokens', string.format('%.6f', kept), 'refilled', math.max(now, refilled))
end

local function admit(person, number, now)
  redis.call('ZADD', inside, now + rules('pass'), person)
  redis.call('HSET', called, person, number .. ':' .. now)
  redis.call('HINCRBY', desk, 'admitted', 1)
  note('admit', person, number, now)
end

-- Take a person out of everything. Returns where they were, or false.
local function remove(person, how, now)
  local number = number_of(person)
  local was = false
  for place, key in pairs({ lobby = lobby, waiting = line, ready = ready, admitted = inside }) do
    if redis.call('ZREM', key, person) == 1 then
      was = place
    end
  end
  if not was then
    return false
  end
  redis.call('ZREM', seen, person)
  redis.call('HDEL', called, person)
  redis.call('ZADD', ended, now * 8 + ENDINGS[how], person)
  redis.call('HINCRBY', desk, how, 1)
  note(how, person, number, now)
  return was
end

-- Returns {state, number, ahead, deadline, admitted_ms}
local function whereabouts(person, now)
  local number, admitted = number_of(person)
  local deadline = redis.call('ZSCORE', inside, person)
  if deadline then
    return { tonumber(deadline) > now and 'admitted' or 'expired', number, 0, tonumber(deadline), admitted }
  end
  deadline = redis.call('ZSCORE', ready, person)
  if deadline then
    return { tonumber(deadline) > now and 'ready' or 'expired', number, 0, tonumber(deadline), 0 }
  end
  local ahead = redis.call('ZRANK', line, person)
  if ahead then
    return { 'waiting', number, ahead, 0, 0 }
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

-- What a person is told: where they are, and what the line looks like around them.
local function standing(person, now)
  local answer = whereabouts(person, now)
  local known = redis.call('HMGET', desk, 'state', 'fast', 'slow', 'epoch', 'lines')
  answer[6] = redis.call('ZCARD', line)
  answer[7] = redis.call('ZCARD', lobby)
  answer[8] = known[1] or ''
  answer[9] = known[2] or '0'
  answer[10] = known[3] or '0'
  answer[11] = known[4] or ''
  answer[12] = tonumber(known[5] or 0)
  return answer
end
