-- Count a hold that ran out; whoever reaches a limit has to cool down.
--
-- KEYS     pairs: counter, cool-down; of the person, the browser, the range of addresses
-- ARGV     window_ms, cool_down_ms, then the limit of each pair (0: none)
-- Returns  the counts
local window_ms, cool_down_ms = ARGV[1], ARGV[2]

local counts = {}
for index = 1, #KEYS, 2 do
  local count, limit = redis.call('INCR', KEYS[index]), tonumber(ARGV[(index + 1) / 2 + 2])
  if count == 1 then
    redis.call('PEXPIRE', KEYS[index], window_ms)
  end
  if limit > 0 and count >= limit then
    redis.call('SET', KEYS[index + 1], 1, 'PX', cool_down_ms)
  end
  counts[#counts + 1] = count
end
return counts
