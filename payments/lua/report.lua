-- A call ended. Too many bad ones of the last open the breaker; a good try closes it again.
--
-- KEYS     calls, breaker
-- ARGV     now_ms, call: any unique word, went_well: 1 or 0, window_ms, least: calls, percent: bad,
--          is_try: 1 for the call that was let through to try, else 0
-- Returns  'closed' or 'open'
local calls, breaker = KEYS[1], KEYS[2]
local now, call, went_well = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'
local window, least, percent = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

if redis.call('HEXISTS', breaker, 'opened') == 1 then
  local is_try = ARGV[7] == '1'
  if is_try and went_well then
    redis.call('DEL', breaker, calls)
    return 'closed'
  end
  if is_try then
    redis.call('HSET', breaker, 'opened', now)
    redis.call('HDEL', breaker, 'trying')
  end
  return 'open' -- calls that were under way when it opened change nothing
end

redis.call('ZREMRANGEBYSCORE', calls, '-inf', now - window)
redis.call('ZADD', calls, now, (went_well and '1:' or '0:') .. call)
redis.call('PEXPIRE', calls, window)
local all, bad = redis.call('ZRANGE', calls, 0, -1), 0
for _, each in ipairs(all) do
  if string.sub(each, 1, 1) == '0' then
    bad = bad + 1
  end
end
if #all >= least and bad * 100 > percent * #all then
  redis.call('HSET', breaker, 'opened', now)
  return 'open'
end
return 'closed'
