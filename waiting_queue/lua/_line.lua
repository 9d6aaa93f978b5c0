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
--       news     list    person:number of those to whom something happened since the last pulse
local desk, lobby, line, ready, inside = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local seen, called, ended, blocked = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local counter, journal, news = KEYS[10], KEYS[11], KEYS[12]

local RULES = {
  'epoch', 'state', 'drawing', 'capacity', 'rate', 'cap', 'claim', 'pass', 'pass_max', 'absence', 'lines',
}
local ENDINGS = { completed = 0, left = 1, expired = 2, blocked = 3, closed = 4 }
local ENDING_NAMES = { [0] = 'completed', 'left', 'expired', 'blocked', 'closed' }
-- Permits that nobody could use are kept for this long only; time that ticks missed is not lost.
local KEPT_MS = 1000
local MISSED_MS = 60000
-- More news than this is not worth telling one by one.
local NEWS_KEPT = 20000

-- A turn that nobody hears of: whoever follows the line reads the whole of it again.
local function skip_a_turn()
  redis.call('DEL', news)
  redis.call('HINCRBY', desk, 'turn', 1)
end

-- Numbers for everybody in the lobby, in the same breath as its end: who comes now is behind them.
local function set_aside(now)
  if redis.call('HEXISTS', desk, 'lobby_first') == 0 then
    local people = redis.call('ZCARD', lobby)
    local last = redis.call('INCRBY', counter, people)
    redis.call('HSET', desk, 'lobby_first', last - people + 1, 'lobby_last', last, 'refilled', now)
  end
end

local function set_rules(first, now)
  local state, drawing = ARGV[first + 1], ARGV[first + 2]
  if state == 'lobby' and redis.call('HEXISTS', desk, 'lobby_first') == 1 then
    return -- read before the lobby ended: nobody may come to it any more
  end
  local fields = {}
  for index, name in ipairs(RULES) do
    fields[2 * index - 1], fields[2 * index] = name, ARGV[first + index - 1]
  end
  local was_drawing = redis.call('HGET', desk, 'drawing') == '1'
  redis.call('HSET', desk, unpack(fields))
  if drawing == '1' then
    set_aside(now)
  elseif was_drawing then
    skip_a_turn() -- a whole lobby is in line now
  end
end

local function rules(...)
  local values = redis.call('HMGET', desk, ...)
  for index = 1, #values do
    values[index] = tonumber(values[index]) or values[index]
  end
  return unpack(values)
end

local function tell(person, number)
  if redis.call('RPUSH', news, person .. ':' .. number) > NEWS_KEPT then
    skip_a_turn()
  end
end

-- Who comes changes nobody else's place; all else is news.
local function note(kind, person, number, now)
  redis.call('XADD', journal, '*', 'k', kind, 'p', person, 'n', number, 't', now)
  if kind ~= 'join' and kind ~= 'lobby' then
    tell(person, number)
  end
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

-- Clocks disagree by a little, and time never runs back for that; a clock that is more than a
-- minute behind has been put right.
local function later(now, before)
  if before - now > MISSED_MS then
    return now
  end
  return math.max(now, before)
end

-- Permits to admit, after adding those of the time since the last refill.
local function permits(now)
  local rate, tokens, refilled = rules('rate', 'tokens', 'refilled')
  if rate == 0 then
    return math.huge
  end
  local elapsed = math.min(math.max(now - refilled, 0), MISSED_MS)
  return math.floor((tokens + elapsed * rate / 1000) * 1e6 + 0.5) / 1e6 -- 0.7 and 0.3 are a whole
end

-- Take so many permits; what is left beyond a moment's worth is gone, unless more are to be taken
-- in a moment.
local function spend(available, count, now, more)
  local rate, refilled = rules('rate', 'refilled')
  if rate == 0 then
    available, count = 0, 0
  end
  local most = math.max(rate * (more and MISSED_MS or KEPT_MS) / 1000, 1)
  local kept = math.min(available - count, most)
  redis.call('HSET', desk, 'tokens', string.format('%.6f', kept), 'refilled', later(now, refilled))
end

local function admit(person, number, now)
  redis.call('ZADD', inside, now + rules('pass'), person)
  redis.call('HSET', called, person, number .. ':' .. now)
  redis.call('HINCRBY', desk, 'admitted', 1)
  note('admit', person, number, now)
end

-- Take a person out of the one place where they are. Returns which it was, or false.
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
  redis.call('HINCRBY', desk, how, 1)
  note(how, person, number, now)
  return was
end

-- Returns {state, number, ahead, deadline, admitted_ms}
local function whereabouts(person, now)
  local number, admitted = number_of(person)
  local ahead = number > 0 and redis.call('ZRANK', line, person)
  if ahead then
    return { 'waiting', number, ahead, 0, 0 }
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

-- Whether a token speaks for an earlier stay than the one that the person has begun since. Who is
-- out has nothing that a token could spoil.
local function is_revoked(person, number, epoch)
  if not number or number == '' then
    return false
  end
  local current = number_of(person)
  if current == 0 and not redis.call('ZSCORE', lobby, person) then
    return false
  end
  local present = redis.call('HGET', desk, 'epoch') -- false while the line is being rebuilt
  return tonumber(number) ~= current or (present and present ~= epoch)
end

-- What a person is told: where they are, and what the line looks like around them.
local function standing(person, now, here)
  local answer = here or whereabouts(person, now)
  local known = redis.call('HMGET', desk, 'state', 'fast', 'slow', 'epoch', 'lines', 'absence')
  answer[6] = redis.call('ZCARD', line)
  answer[7] = redis.call('ZCARD', lobby)
  answer[8] = known[1] or ''
  answer[9] = known[2] or '0'
  answer[10] = known[3] or '0'
  answer[11] = known[4] or ''
  answer[12] = tonumber(known[5] or 0)
  answer[13] = tonumber(known[6] or 0)
  return answer
end
