-- Count a hold that is asked for, unless who asks has to cool down.
--
-- KEYS     pairs: cool-down, counter; of the person (whose counter is not used), then of the browser and
--          of the range of addresses, as far as they are known
-- ARGV     window_ms, then for each pair how many holds are allowed in a window (0: any number)
-- Returns  {'go'}; {'cool_down' or 'too_often', milliseconds until it is possible again}
local window_ms = ARGV[1]

local longest = 0
for index = 1, #KEYS, 2 do
  longest = math.max(longest, redis.call('PTTL', KEYS[index]))
end
if longest > 0 then
  return { 'cool_down', longest }
end
for index = 2, #KEYS, 2 do
  local allowed = tonumber(ARGV[index / 2 + 1])
  if allowed > 0 then
    local count = redis.call('INCR', KEYS[index])
    if count == 1 then
      redis.call('PEXPIRE', KEYS[index], window_ms)
    end
    if count > allowed then
      return { 'too_often', redis.call('PTTL', KEYS[index]) }
    end
  end
end
return { 'go' }
