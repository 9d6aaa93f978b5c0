-- Signs of life of many people at once: open pages keep their places, and renew passes in use.
--
-- ARGV     now_ms, then the people
-- Returns  how many of them are in lobby, line or inside
local now = tonumber(ARGV[1])
local pass, longest = rules('pass', 'pass_max')

local here = 0
for index = 2, #ARGV do
  local person = ARGV[index]
  if redis.call('ZSCORE', seen, person) then
    redis.call('ZADD', seen, 'XX', 'GT', now, person)
    here = here + 1
  else
    local deadline = tonumber(redis.call('ZSCORE', inside, person) or 0)
    if deadline > now and pass then
      local _, admitted = number_of(person)
      redis.call('ZADD', inside, math.max(deadline, math.min(now + pass, admitted + longest)), person)
      here = here + 1
    end
  end
end
return here
