-- Record how a call ended. Too many failures in the window open the breaker; a good probe closes it.
--
-- KEYS     calls, breaker
-- ARGV     now_ms, call: a unique id, succeeded: 1 or 0, window_ms, min_calls, max_percent: of failures,
--          is_probe: 1 for the call that was let through an open breaker, else 0
-- Returns  'closed' or 'open'
local calls, breaker = KEYS[1], KEYS[2]
local now, call, succeeded = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'
local window, min_calls, max_percent = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

if redis.call('HEXISTS', breaker, 'opened') == 1 then
  local is_probe = ARGV[7] == '1'
  if is_probe and succeeded then
    redis.call('DEL', breaker, calls)
    return 'closed'
  end
  if is_probe then
    redis.call('HSET', breaker, 'opened', now)
    redis.call('HDEL', breaker, 'probing')
  end
  return 'open' -- calls that began before the breaker opened do not count
end

redis.call('ZREMRANGEBYSCORE', calls, '-inf', now - window)
redis.call('ZADD', calls, now, (succeeded and '1:' or '0:') .. call)
redis.call('PEXPIRE', calls, window)
local all, failures = redis.call('ZRANGE', calls, 0, -1), 0
for _, each in ipairs(all) do
  if string.sub(each, 1, 1) == '0' then
    failures = failures + 1
  end
end
if #all >= min_calls and failures * 100 > max_percent * #all then
  redis.call('HSET', breaker, 'opened', now)
  return 'open'
end
return 'closed'
