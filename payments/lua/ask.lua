-- May the gateway be called? While the breaker is open, nobody; afterwards one at a time, to try.
--
-- KEYS     breaker
-- ARGV     now_ms, pause_ms: how long it stays open, probe_ms: how long one try may take
-- Returns  {'closed', 0}, {'probe', 0} or {'open', ms until somebody may try}
local breaker = KEYS[1]
local now, pause, probe = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local opened = tonumber(redis.call('HGET', breaker, 'opened'))
if not opened then
  return { 'closed', 0 }
end
if now < opened + pause then
  return { 'open', opened + pause - now }
end
local trying = tonumber(redis.call('HGET', breaker, 'trying') or 0)
if now < trying then
  return { 'open', trying - now }
end
redis.call('HSET', breaker, 'trying', now + probe)
return { 'probe', 0 }
