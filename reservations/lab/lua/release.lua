-- Release a lock, if the token still owns it, and wake one waiting process.
--
-- KEYS     lock, wake list
-- ARGV     token, wake_ttl_ms
-- Returns  1 if the token owned it, else 0
local lock, wake = KEYS[1], KEYS[2]
local token, wake_ttl_ms = ARGV[1], ARGV[2]

if redis.call('GET', lock) ~= token then
  return 0
end
redis.call('DEL', lock)
if redis.call('EXISTS', wake) == 0 then
  redis.call('RPUSH', wake, 1)
  redis.call('PEXPIRE', wake, wake_ttl_ms)
end
return 1
