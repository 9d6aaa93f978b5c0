-- Give a person a number. Joining twice keeps the first number. With room inside, nobody waiting and
-- a permit left, the person is admitted at once.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms
-- Returns  {outcome, standing…}; outcome: joined, already, full, blocked, not_open, over, lost
local person, now = ARGV[1], tonumber(ARGV[2])

local state, capacity, drawing = rules('state', 'capacity', 'drawing')
local PRESENT = { lobby = true, waiting = true, ready = true, admitted = true }

local function answer(outcome, place)
  return { outcome, unpack(standing(person, now, place)) }
end

if not state then
  return { 'lost' }
end
if redis.call('HEXISTS', blocked, person) == 1 then
  return { 'blocked', redis.call('HGET', blocked, person) }
end
local place = place_of(person, now)
if PRESENT[place[1]] then
  redis.call('ZADD', seen, 'XX', now, person)
  return answer('already', place)
end
if state == 'scheduled' then
  return answer('not_open')
end
if state == 'closed' or state == 'draining' then
  return answer('over')
end
if redis.call('ZCARD', line) + redis.call('ZCARD', lobby) >= capacity then
  return answer('full')
end

if place[4] > 0 then
  remove(person, 'expired', now) -- their pass or call ran out since the last tick
end
if redis.call('ZREM', ended, person) == 1 then
  add_change(person, 0) -- their other open pages still say that they are out
end
redis.call('HINCRBY', meta, 'joined', 1)
if state == 'lobby' then
  redis.call('ZADD', lobby, now, person)
  redis.call('ZADD', seen, now, person)
  record('lobby', person, 0, now)
  return answer('joined')
end

local number = redis.call('INCR', counter)
record('join', person, number, now)
local is_empty = redis.call('ZCARD', line) == 0 and redis.call('ZCARD', ready) == 0
if state == 'open' and drawing ~= 1 and is_empty and room() > 0 then
  local available = permits(now)
  if available >= 1 then
    spend(available, 1, now)
    admit(person, number, now)
    return answer('joined')
  end
end
redis.call('ZADD', line, number, person)
redis.call('ZADD', seen, now, person)
return answer('joined')
