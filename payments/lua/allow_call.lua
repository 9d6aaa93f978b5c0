-- Decide whether the gateway may be called. While the breaker is open, only reads may probe it;
-- afterwards every call, one at a time.
--
-- KEYS     breaker
-- ARGV     now_ms, open_ms: how long the breaker stays open, probe_ms: how long one probe may take,
--          reads: 1 for a call that changes nothing at the gateway, else 0
-- Returns  {'closed', 0}, {'probe', 0} or {'open', ms until the next probe is allowed}
local breaker = KEYS[1]
local now, open_time, probe_time = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local reads = ARGV[4] == '1'

local opened = tonumber(redis.call('HGET', breaker, 'opened'))
if not opened then
  return { 'closed', 0 }
end
if now < opened + open_time and not reads then
  return { 'open', opened + open_time - now }
end
local probing = tonumber(redis.call('HGET', breaker, 'probing') or 0)
if now < probing then
  return { 'open', probing - now }
end
redis.call('HSET', breaker, 'probing', now + probe_time)
return { 'probe', 0 }
