-- Take the place that is reserved for a person whose turn it is. Claiming twice changes nothing.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms, waited_ms (since the request arrived: whoever came in time is not late);
--          number and epoch of their queue token, or empty; their browser, which gets the pass
-- Returns  {outcome, standing}; outcome: claimed, already, not_yet, late, not_in_line, revoked, lost
local person, now, browser = ARGV[1], tonumber(ARGV[2]), ARGV[6]

local function answer(outcome)
  return { outcome, standing(person, now) }
end

if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return { 'lost' }
end
if is_revoked(person, ARGV[4], ARGV[5]) then
  return { 'revoked' }
end
local place = place_of(person, now - tonumber(ARGV[3]))
local state, number, _, deadline = unpack(place)
if state == 'ready' then
  redis.call('ZREM', ready, person)
  admit(person, number, now, place.leader, browser)
  if place.leader then
    redis.call('HDEL', parties, '#' .. number) -- the party came: its permit is used
  end
  redis.call('HINCRBY', meta, 'claims', 1)
  redis.call('HINCRBY', meta, 'stays_ms', math.max(rules('claim') - (deadline - now), 0))
  return answer('claimed')
end
if state == 'admitted' then
  keep_browser(person, place, browser)
  return answer('already')
end
if state == 'waiting' or state == 'lobby' then
  return answer('not_yet')
end
if state == 'expired' then
  remove(person, 'expired', now)
  return answer('late')
end
return answer('not_in_line')
