-- Draw a number for a fan. Joining twice keeps the first number. With room inside, nobody waiting
-- and a permit to spare, the fan is inside at once.
--
-- ARGV     person, now_ms
-- Returns  {verdict, standing…}; verdict: joined, already, full, blocked, not_open, over, lost
local person, now = ARGV[1], tonumber(ARGV[2])

local state, capacity, drawing = rules('state', 'capacity', 'drawing')
local HERE = { lobby = true, waiting = true, ready = true, admitted = true }

local function answer(verdict, here)
  return { verdict, unpack(standing(person, now, here)) }
end

if not state then
  return { 'lost' }
end
if redis.call('HEXISTS', blocked, person) == 1 then
  return { 'blocked', redis.call('HGET', blocked, person) }
end
local here = whereabouts(person, now)
if HERE[here[1]] then
  redis.call('ZADD', seen, 'XX', now, person)
  return answer('already', here)
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

if here[4] > 0 then
  remove(person, 'expired', now) -- a pass or a call that ran out since the last tick
end
if redis.call('ZREM', ended, person) == 1 then
  tell(person, 0) -- their other pages still say that they are out
end
redis.call('HINCRBY', desk, 'joined', 1)
if state == 'lobby' then
  redis.call('ZADD', lobby, now, person)
  redis.call('ZADD', seen, now, person)
  note('lobby', person, 0, now)
  return answer('joined')
end

local number = redis.call('INCR', counter)
note('join', person, number, now)
local nobody_waits = redis.call('ZCARD', line) == 0 and redis.call('ZCARD', ready) == 0
if state == 'open' and drawing ~= 1 and nobody_waits and room() > 0 then
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
