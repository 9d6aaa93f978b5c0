-- Record how a call ended. Too many failures in the window open the breaker, unless they are of one
-- moment: without a success for a while, or in several buckets. A good probe closes it.
--
-- KEYS     calls: a hash of counts, `<bucket>:ok` and `<bucket>:failed`, and `failing`: the first failure
--          since the last success; breaker
-- ARGV     now_ms, succeeded: 1 or 0, window_ms, bucket_ms, min_calls, max_percent: of failures,
--          is_probe: 1 for the call that was let through an open breaker, else 0,
--          pause_ms: after a failed probe, outage_ms: that no call succeeded, buckets: with failures
-- Returns  'closed' or 'open'
local calls, breaker = KEYS[1], KEYS[2]
local now, succeeded = tonumber(ARGV[1]), ARGV[2] == '1'
local window, bucket_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
local min_calls, max_percent = tonumber(ARGV[5]), tonumber(ARGV[6])
local outage_ms, min_buckets = tonumber(ARGV[9]), tonumber(ARGV[10])

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
if succeeded then
  redis.call('HDEL', calls, 'failing')
else
  redis.call('HSETNX', calls, 'failing', now)
end
redis.call('PEXPIRE', calls, window)
local all, failures, buckets, counts = 0, 0, 0, redis.call('HGETALL', calls)
for i = 1, #counts, 2 do
  local began, outcome = string.match(counts[i], '(%d+):(%a+)')
  if began and tonumber(began) * bucket_ms <= now - window then
    redis.call('HDEL', calls, counts[i])
  elseif began then
    all = all + tonumber(counts[i + 1])
    if outcome == 'failed' then
      failures, buckets = failures + tonumber(counts[i + 1]), buckets + 1
    end
  end
end
local since = tonumber(redis.call('HGET', calls, 'failing')) or now
local lasts = now - since >= outage_ms or buckets >= min_buckets
if all >= min_calls and failures * 100 > max_percent * all and lasts then
  redis.call('HSET', breaker, 'opened', now, 'probing', now + tonumber(ARGV[8]))
  return 'open'
end
return 'closed'
