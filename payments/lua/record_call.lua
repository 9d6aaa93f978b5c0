-- Record how a call ended. Too many failures in the window open the breaker; a good probe closes it.
--
-- KEYS     calls: a hash of counts, `<bucket>:ok` and `<bucket>:failed`; breaker
-- ARGV     now_ms, succeeded: 1 or 0, window_ms, bucket_ms, min_calls, max_percent: of failures,
--          is_probe: 1 for the call that was let through an open breaker, else 0,
--          pause_ms: after a failed probe
-- Returns  'closed' or 'open'
local calls, breaker = KEYS[1], KEYS[2]
local now, succeeded = tonumber(ARGV[1]), ARGV[2] == '1'
local window, bucket_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
local min_calls, max_percent = tonumber(ARGV[5]), tonumber(ARGV[6])

if redis.call('HEXISTS', breaker, 'opened') == 1 then
  local is_probe = ARGV[7] == '1'
  if is_probe and succeeded then
    redis.call('DEL', breaker, calls)
    return 'closed'
  end
  if is_probe then
    redis.call('HSET', breaker, 'opened', now, 'probing', now + tonumber(ARGV[8]))
  end
  return 'open' -- calls that began before the breaker opened do not count
end

local bucket = math.floor(now / bucket_ms)
redis.call('HINCRBY', calls, string.format('%d:%s', bucket, succeeded and 'ok' or 'failed'), 1)
redis.call('PEXPIRE', calls, window)
local all, failures, counts = 0, 0, redis.call('HGETALL', calls)
for i = 1, #counts, 2 do
  local began, outcome = string.match(counts[i], '(%d+):(%a+)')
  if tonumber(began) * bucket_ms <= now - window then
    redis.call('HDEL', calls, counts[i])
  else
    all = all + tonumber(counts[i + 1])
    failures = failures + (outcome == 'failed' and tonumber(counts[i + 1]) or 0)
  end
end
if all >= min_calls and failures * 100 > max_percent * all then
  redis.call('HSET', breaker, 'opened', now, 'probing', now + tonumber(ARGV[8]))
  return 'open'
end
return 'closed'
