-- Take the place that is reserved for a person whose turn it is. Claiming twice changes nothing.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms, waited_ms (since the request arrived: whoever came in time is not late);
--          number and epoch of their queue token, if they sent one
-- Returns  {outcome, standing…}; outcome: claimed, already, not_yet, late, not_in_line, revoked, lost
local person, now = ARGV[1], tonumber(ARGV[2])

local function answer(outcome)
  return { outcome, unpack(standing(person, now)) }
end

if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return { 'lost' }
end
if is_revoked(person, ARGV[4], ARGV[5]) then
  return { 'revoked' }
end
local state, number = unpack(place_of(person, now - tonumber(ARGV[3])))
if state == 'ready' then
  redis.call('ZREM', ready, person)
  admit(person, number, now)
  return answer('claimed')
end
if state == 'admitted' then
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
