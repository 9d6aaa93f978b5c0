-- A sign of life: says where the fan stands, keeps their place, and renews a pass that is in use.
--
-- ARGV     person, now_ms; number and epoch of the token that speaks for them, if one does
-- Returns  standing, or {'revoked'}
local person, now = ARGV[1], tonumber(ARGV[2])

-- Looking takes less than acting: after a rebuild, and after the draw, an older token may still
-- look, and is told the new one.
local function may_look(number)
  local current = number_of(person)
  local drawn = current <= tonumber(redis.call('HGET', desk, 'lobby_last') or 0)
  return number == current or (number == 0 and drawn)
end

if is_revoked(person, ARGV[3], ARGV[4]) and not may_look(tonumber(ARGV[3])) then
  return { 'revoked' }
end

redis.call('ZADD', seen, 'XX', now, person)
local here = whereabouts(person, now)
local pass, longest = rules('pass', 'pass_max')
if here[1] == 'admitted' and pass then
  here[4] = math.max(here[4], math.min(now + pass, here[5] + longest))
  redis.call('ZADD', inside, here[4], person)
end
return standing(person, now, here)
