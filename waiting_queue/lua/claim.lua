-- Take the place that is reserved for a fan whose turn it is. Claiming twice is fine.
--
-- ARGV     person, now_ms; number and epoch of the token that speaks for them, if one does
-- Returns  {verdict, standing…}; verdict: claimed, already, not_yet, late, not_in_line, revoked, lost
local person, now = ARGV[1], tonumber(ARGV[2])

local function answer(verdict)
  return { verdict, unpack(standing(person, now)) }
end

if redis.call('HEXISTS', desk, 'epoch') == 0 then
  return { 'lost' }
end
if is_revoked(person, ARGV[3], ARGV[4]) then
  return { 'revoked' }
end
local state, number = unpack(whereabouts(person, now))
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
