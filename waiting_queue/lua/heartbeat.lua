-- Record that many people are still there: their places are kept, and passes in use are renewed.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, then the people
-- Returns  how many of them are in lobby, line or inside
local now = tonumber(ARGV[1])
local pass, longest = rules('pass', 'pass_max')

local present = 0
for index = 2, #ARGV do
  local person = ARGV[index]
  if redis.call('ZSCORE', seen, person) then
    redis.call('ZADD', seen, 'XX', 'GT', now, person)
    present = present + 1
  else
    local deadline = tonumber(redis.call('ZSCORE', inside, person) or 0)
    if deadline > now and pass then
      local _, admitted = number_of(person)
      redis.call('ZADD', inside, math.max(deadline, math.min(now + pass, admitted + longest)), person)
      present = present + 1
    end
  end
end
return present
