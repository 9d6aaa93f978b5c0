-- A sign of life: says where the fan stands, keeps their place, and renews a pass that is in use.
--
-- ARGV     person, now_ms
-- Returns  standing
local person, now = ARGV[1], tonumber(ARGV[2])

redis.call('ZADD', seen, 'XX', now, person)
local here = whereabouts(person, now)
if here[1] == 'admitted' then
  local pass, longest = rules('pass', 'pass_max')
  local until_ms = math.min(now + pass, here[5] + longest)
  redis.call('ZADD', inside, 'XX', 'GT', until_ms, person)
end
return standing(person, now)
